"""The project's tasks: ``./dev TASK`` makes the environment and runs one; ``./dev --list`` shows them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from invoke.context import Context
from invoke.exceptions import Exit
from invoke.tasks import task

from tools import sqlserver_container

_T = TypeVar("_T")
ROOT = Path(__file__).resolve().parent
PYTHON_PATHS = ("driver", "tools", "tests", "examples", "tasks.py")
SQL_PATHS = ("db", "procs", "tests", "examples")


def _here(path: str) -> str:
    """A path that the caller gave, seen from where the caller stands."""
    return str(Path(os.environ.get("CHOKAQ_CALLED_FROM", "."), path).resolve())


def _run(*command: str, **environment: str) -> int:
    """Run a program of this environment in the repository; its exit code."""
    return subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, **environment}).returncode


def _python(*arguments: str) -> int:
    return _run(sys.executable, *arguments)


def _tool(name: str, *arguments: str, **environment: str) -> int:
    """Run a command that the environment brings, whether or not the environment is activated."""
    found = Path(sys.executable).with_name(name)
    return _run(str(found) if found.exists() else name, *arguments, **environment)


def _sql_paths() -> list[str]:
    """The folders that hold ``.sql`` files in this checkout."""
    return [path for path in SQL_PATHS if next((ROOT / path).rglob("*.sql"), None)]


def _exit(code: int) -> None:
    if code:
        raise Exit(code=code)


# The gates ------------------------------------------------------------------------------------------


def _ruff() -> int:
    return _tool("ruff", "check", *PYTHON_PATHS) or _tool("ruff", "format", "--check", *PYTHON_PATHS)


def _mypy() -> int:
    return _tool("mypy")


def _maxdop() -> int:
    return _tool("maxdop", "--check", *_sql_paths())


def _sqlfluff() -> int:
    # Its pool of processes ends with warnings about itself.
    quiet = {"PYTHONWARNINGS": "ignore"}
    return _tool("sqlfluff", "lint", "--processes", "0", "--disable-progress-bar", *_sql_paths(), **quiet)


def _rules() -> int:
    return _python("-m", "tools.tsql_rules")


def _docs_are_current() -> int:
    return _python("-m", "tools.docs_build", "--check")


GATES: dict[str, Callable[[], int]] = {
    "ruff": _ruff,
    "mypy": _mypy,
    "maxdop": _maxdop,
    "sqlfluff": _sqlfluff,
    "rules": _rules,
    "docs": _docs_are_current,
}


def _run_gates() -> list[str]:
    """Run every gate, so that one run shows all there is to mend; the names of those that failed."""
    failed = []
    for name, gate in GATES.items():
        print(f"── {name}", flush=True)
        started = time.monotonic()
        passed = gate() == 0
        print(f"   {'ok' if passed else 'FAILED'}, {time.monotonic() - started:.1f} s", flush=True)
        if not passed:
            failed.append(name)
    return failed


@task
def ruff(_: Context) -> None:
    """Gate: Python style and format."""
    _exit(_ruff())


@task
def mypy(_: Context) -> None:
    """Gate: Python types, strict."""
    _exit(_mypy())


@task
def maxdop(_: Context) -> None:
    """Gate: every .sql file parses as T-SQL of 2017 and is formatted."""
    _exit(_maxdop())


@task
def sqlfluff(_: Context) -> None:
    """Gate: SQLFluff on every .sql file."""
    _exit(_sqlfluff())


@task
def rules(_: Context) -> None:
    """Gate: the project's own T-SQL rules."""
    _exit(_rules())


@task(help={"check": "only compare, change nothing"})
def docs(_: Context, check: bool = False) -> None:
    """Write the generated pages and diagrams of docs/; with --check a gate."""
    _exit(_docs_are_current() if check else _python("-m", "tools.docs_build"))


@task
def publish(_: Context) -> None:
    """Keep what this version deploys, for the upgrade tests; once a release, at its end."""
    _exit(_python("-m", "tools.publish_schema"))


@task
def lint(_: Context) -> None:
    """All gates."""
    failed = _run_gates()
    if failed:
        raise Exit(f"failed: {', '.join(failed)}", code=1)


@task(name="format")
def format_(_: Context) -> None:
    """Format Python and .sql files in place."""
    _exit(
        _tool("ruff", "check", "--fix", "--select", "I", *PYTHON_PATHS)
        or _tool("ruff", "format", *PYTHON_PATHS)
        or _python("-m", "tools.type_case", *_sql_paths())
        or _tool("maxdop", "--write", *_sql_paths())
    )


# A test server in a container ------------------------------------------------------------------------

_CONTAINER_DATABASES = {
    "sqlserver": "chokaq_test",
    "sqlserver-snapshot": "chokaq_test_snapshot",
    "sqlserver-case": "chokaq_test_case",
}


def _container(action: Callable[[], _T]) -> _T:
    try:
        return action()
    except LookupError as error:
        raise Exit(str(error.args[0]), code=1) from None


@task(help={"version": f"of SQL Server: {', '.join(sqlserver_container.VERSIONS)}"})
def up(_: Context, version: str = "2022") -> None:
    """Start SQL Server with tSQLt in a container and wait for it; then ./dev test --engine sqlserver."""
    if version not in sqlserver_container.VERSIONS:
        raise Exit(f"--version is one of {', '.join(sqlserver_container.VERSIONS)}", code=2)
    sqlserver_container.ensure_password()
    _exit(
        _container(
            lambda: sqlserver_container.compose("up", "--build", "--detach", "--wait", version=version)
        )
    )


@task
def down(_: Context) -> None:
    """Stop the container of ./dev up and drop its databases."""
    sqlserver_container.ensure_password()
    _exit(_container(lambda: sqlserver_container.compose("down", "--volumes")))


# Tests ----------------------------------------------------------------------------------------------


@task(
    help={
        "url": "also run the suites that take any engine on this server (mssql://…)",
        "engine": "embedded, server or all; default: all that --url allows. sqlserver, sqlserver-snapshot or "
        "sqlserver-case: a database of the container that ./dev up started",
        "keyword": "pytest's -k: only tests whose name matches",
        "fast": "leave out the gates and the tests marked slow",
        "path": "only tests below this path",
        "jobs": "processes; default 2, 0 for one without workers",
        "junit": "write a JUnit report to this file",
    }
)
def test(
    _: Context,
    url: str = "",
    engine: str = "",
    keyword: str = "",
    fast: bool = False,
    path: str = "",
    jobs: int = 2,
    junit: str = "",
) -> None:
    """Gates, then tests."""
    failed = [] if fast or keyword or path else _run_gates()
    arguments = ["-m", "pytest"]
    if jobs:
        arguments += ["-n", str(jobs), "--dist", "loadfile"]
    if engine in _CONTAINER_DATABASES:
        # By way of the environment, so that the password does not show in the list of processes.
        os.environ["CHOKAQ_TEST_URL"] = _container(
            lambda: sqlserver_container.url(_CONTAINER_DATABASES[engine])
        )
        engine = "server"
    if url:
        arguments.append(f"--url={url}")
    if engine:
        arguments.append(f"--engine={engine}")
    if keyword:
        arguments += ["-k", keyword]
    if fast:
        arguments += ["-m", "not slow"]
    if junit:
        arguments.append(f"--junit-xml={_here(junit)}")
    if path:
        arguments.append(_here(path))
    print("── pytest", flush=True)
    code = _python(*arguments)
    if failed:
        raise Exit(f"gates failed: {', '.join(failed)}", code=code or 1)
    _exit(code)


@task(
    help={
        "path": "folder whose files become jobs; default: Python's own standard library",
        "workers": "number of worker processes; default 4",
        "json": "print the figures as one JSON object, the last line",
        "url": "run in this database, in a schema of its own; default: a new file of the embedded engine",
        "keep": "leave the database and the workers' logs where they are",
    }
)
def demo(
    _: Context, path: str = "", workers: int = 0, json: bool = False, url: str = "", keep: bool = False
) -> None:
    """See the queue at work: a job for every file, worker processes, one of which is killed."""
    arguments = ["-m", "chokaq.demo"]
    if path:
        arguments += ["--path", _here(path)]
    if workers:
        arguments += ["--workers", str(workers)]
    if json:
        arguments.append("--json")
    if keep:
        arguments.append("--keep")
    # By way of the environment, so that a password does not show in the list of processes.
    environment = {**os.environ, **({"CHOKAQ_DEMO_URL": url} if url else {})}
    if os.name == "posix":
        # In this process's place: so signals reach the demo, which then ends its workers in order.
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, *arguments], environment)  # noqa: S606
    _exit(_run(sys.executable, *arguments, **environment))


# Databases ------------------------------------------------------------------------------------------

_DATABASE_HELP = {
    "url": "embedded:///path/file.db or mssql://user:password@host:1433/database; default: $CHOKAQ_URL",
    "schema": "schema that holds the objects; default: chokaq",
}


def _chokaq(command: str, url: str, schema: str, *more: str) -> None:
    options: list[str] = []
    if url:
        # By way of the environment, so that a password does not show in the list of processes.
        os.environ["CHOKAQ_URL"] = url
    if schema:
        options += ["--schema", schema]
    _exit(_python("-m", "chokaq.cli", *command.split(), *options, *more))


_LOCK_HELP = {"lock-timeout": "seconds to wait for another deployment"}
_JSON_HELP = {"json": "print one JSON object"}


def _flags(**chosen: bool) -> list[str]:
    return [f"--{name.replace('_', '-')}" for name, is_set in chosen.items() if is_set]


@task(
    help={
        **_DATABASE_HELP,
        **_LOCK_HELP,
        **_JSON_HELP,
        "expect-plan": "deploy only if the plan's hash is this",
    }
)
def deploy_db(
    _: Context,
    url: str = "",
    schema: str = "",
    lock_timeout: float = 60.0,
    expect_plan: str = "",
    json: bool = False,
) -> None:
    """Bring a database to the state of this checkout."""
    more = ["--expect-plan", expect_plan] if expect_plan else []
    _chokaq("deploy", url, schema, "--lock-timeout", str(lock_timeout), *more, *_flags(json=json))


@task(
    help={
        **_DATABASE_HELP,
        **_JSON_HELP,
        "out": "write the complete script for sqlcmd and SSMS here",
        "offline": "for an empty database, without a connection",
        "server": "what an offline plan is for: sqlserver (default), babelfish or embedded",
    }
)
def plan_db(
    _: Context,
    url: str = "",
    schema: str = "",
    out: str = "",
    offline: bool = False,
    server: str = "",
    json: bool = False,
) -> None:
    """Show what deploy-db would do, or write it as a script; exit code 3 when something is pending."""
    more = ["--out", _here(out)] if out else []
    more += ["--server", server] if server else []
    _chokaq("plan", url, schema, *more, *_flags(offline=offline, json=json))


@task(help={**_DATABASE_HELP, **_JSON_HELP})
def status_db(_: Context, url: str = "", schema: str = "", json: bool = False) -> None:
    """Show what is deployed; exit code 3 when something is pending."""
    _chokaq("status", url, schema, *_flags(json=json))


@task(help={**_DATABASE_HELP, **_JSON_HELP})
def verify_db(_: Context, url: str = "", schema: str = "", json: bool = False) -> None:
    """Look for what was changed by hand; exit code 4 when something was."""
    _chokaq("verify", url, schema, *_flags(json=json))


@task(
    help={
        **_DATABASE_HELP,
        **_LOCK_HELP,
        **_JSON_HELP,
        "to": "version to go back to; 0 removes everything",
        "yes": "do not ask",
        "lose-jobs": "go on even where jobs are lost",
    }
)
def undo_db(
    _: Context,
    to: int,
    url: str = "",
    schema: str = "",
    lock_timeout: float = 60.0,
    yes: bool = False,
    lose_jobs: bool = False,
    json: bool = False,
) -> None:
    """Go back to an earlier version by the undo scripts."""
    more = ["--to", str(to), "--lock-timeout", str(lock_timeout)]
    _chokaq("undo", url, schema, *more, *_flags(yes=yes, lose_jobs=lose_jobs, json=json))


@task(
    help={**_DATABASE_HELP, **_LOCK_HELP, **_JSON_HELP, "version": "up to this script; default: the newest"}
)
def baseline_db(
    _: Context,
    url: str = "",
    schema: str = "",
    version: int = 0,
    lock_timeout: float = 60.0,
    json: bool = False,
) -> None:
    """Take over a schema that was made by hand, if it is what the scripts would make."""
    more = ["--version", str(version)] if version else []
    _chokaq("baseline", url, schema, "--lock-timeout", str(lock_timeout), *more, *_flags(json=json))


# Operating; the command `chokaq` has more -------------------------------------------------------------


@task(help={**_DATABASE_HELP, **_JSON_HELP, "queue": "only this queue"})
def stats(_: Context, url: str = "", schema: str = "", queue: str = "", json: bool = False) -> None:
    """Show what waits, runs, succeeded and failed."""
    _chokaq("stats", url, schema, *(["--queue", queue] if queue else []), *_flags(json=json))


@task(help={**_DATABASE_HELP, **_JSON_HELP, "queue": "only this queue", "hours": "how far back; default 24"})
def errors(
    _: Context, url: str = "", schema: str = "", queue: str = "", hours: int = 24, json: bool = False
) -> None:
    """Show which errors happen most."""
    more = ["--hours", str(hours), *(["--queue", queue] if queue else [])]
    _chokaq("dlq errors", url, schema, *more, *_flags(json=json))


@task(help={**_DATABASE_HELP, **_JSON_HELP, "queue": "its name"})
def pause(_: Context, queue: str, url: str = "", schema: str = "", json: bool = False) -> None:
    """Hand out no more jobs of a queue."""
    _chokaq("queue pause", url, schema, *_flags(json=json), "--", queue)


@task(help={**_DATABASE_HELP, **_JSON_HELP, "queue": "its name"})
def resume(_: Context, queue: str, url: str = "", schema: str = "", json: bool = False) -> None:
    """End the pause of a queue."""
    _chokaq("queue resume", url, schema, *_flags(json=json), "--", queue)


@task(help={**_DATABASE_HELP, **_JSON_HELP})
def maintain(_: Context, url: str = "", schema: str = "", json: bool = False) -> None:
    """Sweep after dead workers, roll up metrics, purge by the retentions."""
    _chokaq("maintain", url, schema, *_flags(json=json))


# Packaging ------------------------------------------------------------------------------------------


@task
def sqlserver(_: Context) -> None:
    """Add the SQL Server driver (pyodbc and an ODBC driver) to .venv."""
    _exit(_python("-m", "pip", "install", "--disable-pip-version-check", "--quiet", "-e", ".[sqlserver]"))


@task
def build(_: Context) -> None:
    """Build the wheel into dist/."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    _exit(
        _python(
            "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", "dist"
        )
    )
    for wheel in sorted((ROOT / "dist").glob("*.whl")):
        print(wheel.relative_to(ROOT))
