"""What each role can and cannot do: by logging in as it, and by the grants that an engine recorded."""

from __future__ import annotations

import dataclasses
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chokaq import (
    Completion,
    DatabaseError,
    DlqFilter,
    JobQueue,
    Lease,
    Outcome,
    PermissionDeniedError,
    Sample,
)
from chokaq import urls as url_module
from chokaq.calls import Caller
from chokaq.connection import Connector
from chokaq.dbapi import is_driver_error
from chokaq.procedures import PROCEDURES, Procedure
from tests.contract.support import Database, run

PROCS = Path(__file__).resolve().parents[2] / "procs"
ROLES = ("producer", "worker", "operator", "reader")
_ROLE_LINE = re.compile(r"^Role: *(.+?)\.? *$", re.MULTILINE)

NO_CHAINING = (
    "Babelfish has no ownership chaining: a role that may execute a procedure is still asked for rights on"
    " its tables, which the package does not grant; so here only EXECUTE itself is proved"
)
NO_LOGINS = "the embedded engine records roles and grants, but nobody logs in to it"


def headers() -> dict[str, frozenset[str]]:
    """The roles of each procedure, as its header states them; none: internal."""
    found = {}
    for path in PROCS.rglob("*.sql"):
        match = _ROLE_LINE.search(path.read_text(encoding="utf-8"))
        assert match is not None, f"{path.name} names no role"
        roles = frozenset(re.findall(r"\[chokaq_(\w+)\]", match[1]))
        assert roles or match[1].startswith("internal"), f"{path.name}: {match[1]}"
        found[path.stem] = roles
    return found


HEADERS = headers()


def test_headers_name_known_roles_only() -> None:
    assert frozenset().union(*HEADERS.values()) == set(ROLES)


def test_what_the_driver_calls_is_granted_to_somebody() -> None:
    assert {name for name in PROCEDURES if not HEADERS[name]} == set()


def test_the_recorded_grants_are_those_of_the_headers(db: Database) -> None:
    if db.platform == "babelfish":
        pytest.skip("Babelfish shows no rows in sys.database_permissions; the logins below prove it there")
    rows = db.sql(
        "SELECT [u].[name] AS [Role], [p].[permission_name] AS [Permission], [o].[name] AS [Object],"
        " [p].[state_desc] AS [State] FROM [sys].[database_permissions] AS [p]"
        " INNER JOIN [sys].[objects] AS [o] ON [o].[object_id] = [p].[major_id]"
        " INNER JOIN [sys].[database_principals] AS [u]"
        " ON [u].[principal_id] = [p].[grantee_principal_id]"
        f" WHERE [o].[schema_id] = SCHEMA_ID(N'{db.schema}');"
    )
    found: dict[str, set[str]] = {name: set() for name in HEADERS}
    for row in rows:
        assert (row["Permission"], row["State"]) == ("EXECUTE", "GRANT"), row
        found[row["Object"]].add(row["Role"].removeprefix(f"{db.schema}_"))
    assert found == HEADERS


# Logging in


@dataclass
class Login:
    """A user of the database that is in one role, and its connections."""

    role: str
    queue: JobQueue
    caller: Caller
    connector: Connector

    def may_execute(self, schema: str, procedure: str) -> bool:
        """What the server says about a right."""
        text = f"SELECT HAS_PERMS_BY_NAME(N'[{schema}].[{procedure}]', N'OBJECT', N'EXECUTE') AS [May];"
        with self.connector.use() as session:
            return bool(run(session.connection, text)[0]["May"])

    def answer(self, procedure: Procedure) -> str | None:
        """What the database says against a call with NULLs; None: it went well."""
        try:
            self.caller.call(procedure.name, *[None] * len(procedure.params))
        except DatabaseError as error:
            return str(error)
        return None

    def is_refused(self, text: str) -> bool:
        """Whether a statement fails for want of a right."""
        with self.connector.use() as session:
            try:
                run(session.connection, text)
            except Exception as error:
                if not is_driver_error(error):
                    raise
                self.connector.discard()
                return "permission" in str(error).lower() or "must be owner" in str(error).lower()
        return False


@pytest.fixture(scope="session")
def logins(deployed: Database) -> Iterator[dict[str, Login]]:
    """A login for each role. Made by the test's own login, which must be allowed to."""
    if deployed.platform == "embedded":
        pytest.skip(NO_LOGINS)
    target = url_module.parse(deployed.url)
    made: dict[str, Login] = {}
    names: list[str] = []
    try:
        for role in ROLES:
            name, password = f"{deployed.schema}_{role}_login", f"Aa1!{secrets.token_urlsafe(18)}"
            try:
                deployed.sql(f"CREATE LOGIN [{name}] WITH PASSWORD = '{password}';")
            except Exception as error:
                if not is_driver_error(error):
                    raise
                pytest.skip("the login of this run may not make logins, so nobody can log in as a role")
            names.append(name)
            deployed.sql(f"CREATE USER [{name}] FOR LOGIN [{name}];")
            deployed.sql(f"ALTER ROLE [chokaq_{role}] ADD MEMBER [{name}];")
            keywords = tuple(each for each in target.keywords if each[0].lower() != "trusted_connection")
            own = dataclasses.replace(target, user=name, password=password, keywords=keywords, display=name)
            connector = Connector(own)
            queue = JobQueue(connector, deployed.schema)
            made[role] = Login(role, queue, Caller(connector, deployed.schema), connector)
        yield made
    finally:
        for login in made.values():
            login.queue.close()
        for name in names:
            deployed.sql(f"DROP USER IF EXISTS [{name}];")
            deployed.sql(f"DROP LOGIN [{name}];")


@pytest.fixture
def login(logins: dict[str, Login], db: Database, request: pytest.FixtureRequest) -> Login:
    return logins[request.param]


every_role = pytest.mark.parametrize("login", ROLES, indirect=True)


@every_role
def test_the_server_says_what_a_role_may_execute(login: Login, db: Database) -> None:
    found = {name for name in HEADERS if login.may_execute(db.schema, name)}
    assert found == {name for name, roles in HEADERS.items() if login.role in roles}


def is_about(procedure: str, text: str) -> bool:
    """Whether an error says that the right on this very procedure is missing, in SQL Server's words or in
    PostgreSQL's. (Without ownership chaining it may be there, and one on an inner procedure is not.)
    """
    name = re.escape(procedure)
    words = rf"EXECUTE permission was denied on the object '{name}'|permission denied for procedure {name}\b"
    return re.search(words, text, re.IGNORECASE) is not None


@every_role
def test_a_role_cannot_call_what_is_for_others(login: Login) -> None:
    """With NULL for every parameter, so that a call that gets through does next to nothing."""
    answers = {name: login.answer(procedure) for name, procedure in PROCEDURES.items()}
    denied = {name for name, text in answers.items() if text is not None and is_about(name, text)}
    allowed = {name for name in PROCEDURES if login.role in HEADERS[name]}
    assert denied == set(PROCEDURES) - allowed, answers


@every_role
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(*) AS [N] FROM [{schema}].[JobsHot];",
        "DELETE FROM [{schema}].[JobsDLQ];",
        "UPDATE [{schema}].[Settings] SET [MetricShards] = 1;",
        "INSERT INTO [{schema}].[Queues] ([Name]) VALUES ('mine');",
        "DROP TABLE [{schema}].[JobsArchive];",
    ],
)
def test_no_role_touches_a_table(login: Login, db: Database, statement: str) -> None:
    assert login.is_refused(statement.format(schema=db.schema))


# The work of each role, with its own login


def by_itself(db: Database) -> None:
    if db.platform == "babelfish":
        pytest.skip(NO_CHAINING)


def test_the_four_roles_at_work(logins: dict[str, Login], db: Database) -> None:
    by_itself(db)
    producer, worker = logins["producer"].queue, logins["worker"].queue
    operator, reader = logins["operator"].queue, logins["reader"].queue
    job_id = producer.enqueue("mail", "send", payload={"to": "ann"}).job_id
    assert producer.get_job(job_id) is not None
    doomed = producer.enqueue("mail", "send").job_id
    assert producer.cancel(doomed)[0].outcome is Outcome.CANCELLED
    assert producer.record_samples(Sample(measure="latency", series="/", value_ms=1.0)).accepted == 1
    job = worker.fetch("w1", 1)[0]
    assert worker.mark_processing("w1", job.lease)[0].outcome is Outcome.PROCESSING
    assert worker.keep_alive("w1", job.lease)[0].outcome is Outcome.ALIVE
    assert worker.complete("w1", Completion(lease=job.lease))[0].outcome is Outcome.ARCHIVED
    worker.sweep_zombies()
    worker.run_maintenance()
    assert reader.preview_dlq(DlqFilter()).match_count == 1
    assert len(reader.list_archive()) == 1
    assert reader.summary_stats("mail")[0].succeeded_total == 1
    operator.set_queue_paused("mail", True)
    assert operator.resurrect(doomed)[0].outcome is Outcome.RESURRECTED
    operator.run_maintenance()


FOREIGN: list[tuple[str, Callable[[JobQueue], Any]]] = [
    ("producer", lambda queue: queue.fetch("w1", 1)),
    ("producer", lambda queue: queue.set_queue_paused("mail", True)),
    ("worker", lambda queue: queue.enqueue("mail", "send")),
    ("worker", lambda queue: queue.purge_dlq("j1")),
    ("operator", lambda queue: queue.complete("w1", Completion(lease=Lease(job_id="j1", lease_token=1)))),
    ("reader", lambda queue: queue.cancel("j1")),
    ("reader", lambda queue: queue.resurrect("j1")),
]


@pytest.mark.parametrize(("login", "call"), FOREIGN, indirect=["login"])
def test_the_driver_says_permission_denied(login: Login, call: Callable[[JobQueue], Any]) -> None:
    with pytest.raises(PermissionDeniedError):
        call(login.queue)
