"""The fixtures of the contract suite: ``db`` is an empty, deployed schema of each engine of the run."""

from tests.contract.conftest import db, deployed

__all__ = ["db", "deployed"]
