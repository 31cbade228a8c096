"""Payloads on the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

__all__ = ["payload_options", "read_payload"]


def payload_options(function: Callable[..., None]) -> Callable[..., None]:
    """--payload and --payload-file."""
    function = click.option(
        "--payload-file",
        type=click.Path(dir_okay=False, allow_dash=True),
        help="Take the payload from this file (UTF-8); - is standard input.",
    )(function)
    return click.option("--payload", metavar="TEXT", help="The payload, stored as it is; usually JSON.")(
        function
    )


def read_payload(payload: str | None, payload_file: str | None) -> str | None:
    """The payload that was given in either way."""
    if payload_file is None:
        return payload
    if payload is not None:
        raise click.UsageError("--payload and --payload-file exclude each other.")
    try:
        data = sys.stdin.buffer.read() if payload_file == "-" else Path(payload_file).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"The payload cannot be read: {error}") from None
