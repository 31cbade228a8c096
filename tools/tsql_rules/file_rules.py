"""Rules about a file as a whole: its first lines, its header block, its procedure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chokaq.deploy.lexer import TokenKind

from ..type_case import wrong_case
from .source import HEADER_FIELDS, Finding, SqlFile

AREAS = ("jobs", "finalize", "recovery", "dlq", "queues", "metrics", "stats", "maintenance")
_SCHEMA_TOKEN = re.compile(r"\[chokaq(?:_[a-z]+)?\]")
_BODY_START = (
    "SET NOCOUNT , XACT_ABORT ON ;",
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED ;",
)


def set_options(file: SqlFile) -> Iterator[Finding]:
    """Both options are frozen into what a session creates, and one client has the second off."""
    first = " ".join(token.upper for token in file.batches[0]) if file.batches else ""
    if first not in {
        "SET ANSI_NULLS , QUOTED_IDENTIFIER ON ;",
        "SET ANSI_NULLS ON ; SET QUOTED_IDENTIFIER ON ;",
    }:
        yield file.finding(
            "set-options", 1, "the first batch must be SET ANSI_NULLS ON; SET QUOTED_IDENTIFIER ON;"
        )


def schema_token(file: SqlFile) -> Iterator[Finding]:
    """A deployment under another name replaces ``[chokaq]`` and ``[chokaq_role]`` and nothing else."""
    for token in file.code:
        if "chokaq" in _SCHEMA_TOKEN.sub("", token.text).lower():
            yield file.finding(
                "schema-token", token.line, f"{token.text}: write [chokaq] or [chokaq_role] in brackets"
            )


def one_procedure(file: SqlFile) -> Iterator[Finding]:
    """One CREATE OR ALTER PROCEDURE a file, of the file's name, in a folder named after its area."""
    if not file.is_procedure_file:
        return
    area = file.path.split("/")[1]
    if area not in AREAS or file.path.count("/") != 2:
        yield file.finding("one-procedure", 1, f"must lie in procs/AREA/, AREA one of {', '.join(AREAS)}")
    procedure = file.procedure
    if procedure is None:
        yield file.finding("one-procedure", 1, "must hold CREATE OR ALTER PROCEDURE [chokaq].[Name] … AS")
        return
    line = procedure.name.line
    if procedure.schema.text != "[chokaq]" or procedure.name.value != file.stem:
        yield file.finding(
            "one-procedure", line, f"must create [chokaq].[{file.stem}], as the file is called"
        )
    if procedure.name.value.lower().startswith("sp_"):
        yield file.finding("one-procedure", line, "names that begin with sp_ are looked up in master first")
    creating = [index for index, batch in enumerate(file.batches) if batch[0].is_word("CREATE", "ALTER")]
    if len(creating) != 1:
        yield file.finding("one-procedure", line, "must create exactly one object")
    elif [token.upper for token in file.batches[creating[0]][:4]] != ["CREATE", "OR", "ALTER", "PROCEDURE"]:
        yield file.finding("one-procedure", line, "must say CREATE OR ALTER PROCEDURE")


def header_block(file: SqlFile) -> Iterator[Finding]:
    """The comment that tells a reader everything a caller must know, its fields in one order."""
    if not file.is_procedure_file:
        return
    missing = [name for name in HEADER_FIELDS if not file.header.get(name)]
    if missing:
        yield file.finding("header", 1, f"the header comment lacks {', '.join(missing)}")
    elif tuple(file.header) != HEADER_FIELDS:
        yield file.finding(
            "header", 1, f"the header's fields must stand in this order: {', '.join(HEADER_FIELDS)}"
        )
    version = file.header.get("Version", "1")
    if not re.fullmatch(r"[1-9]\d*", version):
        yield file.finding("header", 1, f"Version: {version} is not a whole number")


def body_start(file: SqlFile) -> Iterator[Finding]:
    """Row counts look like results to a client, and pooled sessions leak their isolation level."""
    if not file.is_procedure_file or file.procedure is None:
        return
    body = file.procedure.body
    if body[0].is_word("BEGIN"):
        body = body[1:]
    text = " ".join(token.upper for token in body[:20])
    if not text.startswith(" ".join(_BODY_START)):
        message = (
            "the body must begin SET NOCOUNT, XACT_ABORT ON; SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
        )
        yield file.finding("body-start", body[0].line, message)


def no_double_quotes(file: SqlFile) -> Iterator[Finding]:
    """What a double quote means depends on a session option."""
    for token in file.code:
        if token.kind is TokenKind.NAME and token.text.startswith('"'):
            yield file.finding("double-quotes", token.line, f"{token.text}: write names in brackets")


def type_case(file: SqlFile) -> Iterator[Finding]:
    """The formatter writes most types in upper case; the rest follows, or a file looks torn."""
    for token in wrong_case(file.text):
        yield file.finding("type-case", token.line, f"{token.text}: types are in upper case (./dev format)")


FILE_RULES = (
    set_options,
    schema_token,
    one_procedure,
    header_block,
    body_start,
    no_double_quotes,
    type_case,
)
