"""The demo: every file below a folder becomes a job, and worker processes work them off, one of them killed.

Run it with ``python -m chokaq.demo``.
"""
