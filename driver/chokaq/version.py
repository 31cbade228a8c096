"""The package's version, stated here only: the build, the ledger and ``chokaq --version`` read it."""

__version__ = "0.1.0"
