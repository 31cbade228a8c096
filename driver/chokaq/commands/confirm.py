"""Asks before something is done that cannot be taken back."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from . import exits

__all__ = ["ask", "check_can_ask", "yes_option"]


def yes_option(function: Callable[..., None]) -> Callable[..., None]:
    return click.option("--yes", "-y", is_flag=True, help="Do not ask; for scripts.")(function)


def is_interactive() -> bool:
    return sys.stdin.isatty()


def check_can_ask(yes: bool) -> None:
    """Before any work: without a terminal and without --yes nobody could agree."""
    if not yes and not is_interactive():
        raise click.UsageError("This asks before it acts, and there is no terminal to ask: add --yes.")


def ask(question: str, yes: bool) -> None:
    """Goes on, or ends the command with exit code 1. Questions go to stderr: stdout is for results."""
    if not yes and not click.confirm(question, err=True):
        click.echo("nothing was done", err=True)
        sys.exit(exits.ERROR)
