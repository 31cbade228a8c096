#!/bin/bash
# Healthy: the last of the test databases has tSQLt.
set -euo pipefail

exec /opt/chokaq/query.sh -Q "IF OBJECT_ID(N'[chokaq_test_case].[tSQLt].[Run]') IS NULL THROW 50000, N'not yet', 1;" >/dev/null
