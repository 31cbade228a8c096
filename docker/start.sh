#!/bin/bash
# The container's process: SQL Server, with the test databases made at its first start.
set -euo pipefail

/opt/mssql/bin/sqlservr &
server=$!
trap 'kill -TERM "$server"' TERM INT

if ! /opt/chokaq/prepare.sh; then
    echo "start: the test databases could not be prepared" >&2
    kill -TERM "$server"
    wait "$server" || true
    exit 1
fi

# The first wait ends early when a signal comes; the server then needs its time to stop.
code=0
wait "$server" || code=$?
wait "$server" 2>/dev/null || true
exit "$code"
