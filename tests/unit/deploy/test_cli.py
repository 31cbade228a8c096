"""Exit codes and output of the deployment commands; the runner itself is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chokaq import deploy as runner
from chokaq.cli import main
from chokaq.deploy.errors import InvalidSchemaNameError, LockTimeoutError, ScriptChangedError
from chokaq.deploy.ledger import AppliedMigration, Ledger
from chokaq.deploy.plan import make_plan
from chokaq.deploy.scripts import load_package
from chokaq.errors import InvalidUrlError, UnknownEngineError

from .trees import small_tree

URL = "mssql://sa:Secret@host/db"


def run(*arguments: str, **environment: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments), env=environment)
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ScriptChangedError("changed"), 1),
        (InvalidSchemaNameError("no"), 2),
        (InvalidUrlError("no"), 2),
        (UnknownEngineError("no"), 2),
        (LockTimeoutError("locked"), 5),
    ],
)
@pytest.mark.parametrize("command", ["deploy", "status", "plan"])
def test_exit_codes(monkeypatch: pytest.MonkeyPatch, command: str, error: Exception, code: int) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(runner, "deploy", fail)
    monkeypatch.setattr(runner, "status", fail)
    assert run(command, "--url", URL) == (code, f"error: {error}\n")


def test_usage_errors_are_exit_code_2() -> None:
    assert run("deploy")[0] == 2
    assert run("deploy", "--url", URL, "--lock-timeout", "-1")[0] == 2
    assert run("nonsense")[0] == 2


def test_deploy_tells_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def deploy(url: str, **options: Any) -> runner.DeployReport:
        given.update(options, url=url)
        options["report"]("applied one")
        return runner.DeployReport("jobs", "server", "1.0", ("one",), ("A", "B"), (), (), 12)

    monkeypatch.setattr(runner, "deploy", deploy)
    code, output = run("deploy", "--schema", "jobs", "--lock-timeout", "2.5", CHOKAQ_URL=URL)
    assert code == 0
    assert output == "applied one\nschema [jobs]: 1 scripts, 2 procedures, 0 dropped, in 12 ms\n"
    assert (given["url"], given["schema"], given["lock_timeout"]) == (URL, "jobs", 2.5)


def test_status_and_plan_exit_with_3_when_something_is_pending(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = load_package(small_tree(tmp_path))
    first = package.migrations[0]
    ledger = Ledger((AppliedMigration(1, first.name, first.sha256, "1.0"),))
    found = runner.Status("chokaq", "server", "1.0", ledger.migrations, make_plan(package, ledger, "1.0"))
    monkeypatch.setattr(runner, "status", lambda *_, **__: found)
    code, output = run("status", "--url", URL)
    assert code == 3
    assert "0001_ledger" in output
    assert "pending   3" in output
    code, output = run("plan", "--url", URL)
    assert code == 3
    assert output.splitlines() == [
        "apply   db/migrations/0002_things.sql",
        "deploy  procs/jobs/CountThings.sql",
        "deploy  procs/jobs/AskForThings.sql",
    ]
