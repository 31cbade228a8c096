#!/bin/bash
# Waits for SQL Server, makes the test databases and installs tSQLt in each. A second start finds them and does nothing.
set -euo pipefail

query=/opt/chokaq/query.sh
databases="chokaq_test chokaq_test_snapshot chokaq_test_case"

for _ in $(seq 120); do
    if "$query" -Q "SELECT 1;" >/dev/null 2>&1; then
        ready=yes
        break
    fi
    sleep 1
done
if [ -z "${ready:-}" ]; then
    echo "prepare: SQL Server did not answer within two minutes" >&2
    exit 1
fi

if "$query" -Q "IF OBJECT_ID(N'[chokaq_test_case].[tSQLt].[Run]') IS NULL THROW 50000, N'not yet', 1;" >/dev/null 2>&1; then
    exit 0
fi

"$query" -i /opt/chokaq/databases.sql
"$query" -i /opt/tsqlt/PrepareServer.sql >/dev/null
for database in $databases; do
    "$query" -d "$database" -i /opt/tsqlt/tSQLt.class.sql >/dev/null
    echo "prepare: $database is ready"
done
