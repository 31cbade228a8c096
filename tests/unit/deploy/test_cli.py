"""Exit codes and output of the deployment commands; the runner itself is replaced."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chokaq import deploy as runner
from chokaq.cli import main
from chokaq.deploy.errors import InvalidSchemaNameError, LockTimeoutError, ScriptChangedError
from chokaq.deploy.ledger import AppliedMigration, Ledger
from chokaq.deploy.plan import make_plan
from chokaq.deploy.render import PlanTarget, render
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
    monkeypatch.setattr(runner, "plan_script", fail)
    assert run(command, "--url", URL) == (code, f"error: {error}\n")
    failed, output = run(command, "--url", URL, "--json")
    assert failed == code
    assert json.loads(output)["error"] == str(error)


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
    assert json.loads(run("status", "--url", URL, "--json")[1])["version"] == 1
    script = render(found.plan, ledger, package, PlanTarget("chokaq", runner.Dialect.SQLSERVER, "shop"))
    monkeypatch.setattr(runner, "plan_script", lambda *_, **__: script)
    code, output = run("plan", "--url", URL)
    assert code == 3
    assert output.splitlines() == [
        "apply   db/migrations/0002_things.sql",
        "deploy  procs/jobs/CountThings.sql",
        "deploy  procs/jobs/AskForThings.sql",
        f"sha256  {script.sha256}",
    ]
    path = tmp_path / "plan.sql"
    code, output = run("plan", "--url", URL, "--out", str(path), "--json")
    assert code == 3
    assert json.loads(output)["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_offline_plan_needs_no_url(tmp_path: Path) -> None:
    code, output = run("plan", "--offline")
    assert code == 0
    assert "CREATE SCHEMA [chokaq];" in output
    assert run("plan")[0] == 2
    path = tmp_path / "plan.sql"
    code, output = run("plan", "--offline", "--server", "babelfish", "--schema", "jobs", "--out", str(path))
    assert code == 0
    assert "CREATE SCHEMA [jobs];" in path.read_text(encoding="utf-8-sig")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in output


def test_verify_exits_with_4_for_drift_and_3_for_what_is_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = runner.Plan((), (), (), ())
    pending = runner.Plan((), (), ("Old",), ())
    drift = (runner.Difference("missing", "index IX_A of T", ""),)
    for plan, differences, wanted in ((nothing, (), 0), (pending, (), 3), (pending, drift, 4)):
        found = runner.Verification("chokaq", "server", plan, differences, ("grants",))
        monkeypatch.setattr(runner, "verify", lambda *_, found=found, **__: found)
        code, output = run("verify", "--url", URL)
        assert code == wanted
        assert "grants" in output
        assert len(json.loads(run("verify", "--url", URL, "--json")[1])["differences"]) == len(differences)


def test_undo_asks_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = runner.UndoPlan(0, ("db/undo/0001_a.sql",), ("db/undo/0001_a.sql; loses all",), ("P",), ())

    def undo(*_: object, **options: Any) -> runner.UndoPlan:
        options["confirm"](plan)
        return plan

    monkeypatch.setattr(runner, "undo", undo)
    refused = CliRunner().invoke(main, ["undo", "--url", URL, "--to", "0"], input="n\n")
    assert refused.exit_code == 1
    assert "loses all" in refused.output
    assert CliRunner().invoke(main, ["undo", "--url", URL, "--to", "0"], input="y\n").exit_code == 0
    assert run("undo", "--url", URL, "--to", "0", "--yes")[0] == 0
    assert run("undo", "--url", URL)[0] == 2
