"""The project's own T-SQL rules: those that neither the formatter nor the linter knows.

``python -m tools.tsql_rules`` checks every ``.sql`` file below db/ and procs/. A rule is a function that
takes a file (or the whole set) and yields findings; ``tests/unit/rules`` holds a bad sample for each.
"""
