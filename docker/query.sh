#!/bin/bash
# sqlcmd as the administrator, wherever this version of the image has it. Fails when a statement does.
set -euo pipefail

for candidate in /opt/mssql-tools18/bin/sqlcmd /opt/mssql-tools/bin/sqlcmd; do
    if [ -x "$candidate" ]; then
        # By way of the environment, so that the password does not show in the list of processes.
        SQLCMDPASSWORD=$MSSQL_SA_PASSWORD exec "$candidate" -C -S localhost -U sa -b -I -l 5 "$@"
    fi
done
echo "query: this image has no sqlcmd" >&2
exit 1
