"""The values of T-SQL: types, conversions, functions. Knows no table, no session and no SQLite connection."""
