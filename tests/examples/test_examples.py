"""The examples run, on the engine that needs no server."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_outbox(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from examples import outbox

    url = f"embedded://{tmp_path.as_posix()}/shop.db"
    assert outbox.main(url) == [1, 3]
    text = capsys.readouterr().out
    assert "order 2 failed" in text
    assert "neither order nor job" in text


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("fastapi", reason="fastapi is not installed (development extra)")
    pytest.importorskip("httpx", reason="httpx is not installed (development extra)")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the web framework says about its own parts
        from fastapi.testclient import TestClient

        from examples.fastapi_app.app import app

    monkeypatch.setenv("CHOKAQ_URL", f"embedded://{tmp_path.as_posix()}/jobs.db")
    return TestClient(app)


def where(client: Any, job_id: str) -> str:
    found = client.get(f"/jobs/{job_id}")
    assert found.status_code == 200
    return str(found.json()["is_in"])


def test_the_web_application_and_its_worker(client: Any) -> None:
    with client:
        key = {"Idempotency-Key": "k1"}
        good = client.post("/welcome", json={"to": "ann@example.org"}, headers=key)
        assert good.status_code == 202
        bad = client.post("/welcome", json={"to": "nobody"}).json()
        end = time.monotonic() + 20
        while "hot" in (where(client, good.json()["job"]), where(client, bad["job"])):
            assert time.monotonic() < end
            time.sleep(0.05)
        assert where(client, good.json()["job"]) == "archive"
        assert where(client, bad["job"]) == "dlq"
        assert client.get("/jobs/nope").status_code == 404


def test_the_web_application_without_a_worker(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOKAQ_WORKER", "no")
    with client:
        key = {"Idempotency-Key": "k1"}
        first = client.post("/welcome", json={"to": "ann@example.org"}, headers=key).json()
        again = client.post("/welcome", json={"to": "ann@example.org"}, headers=key).json()
        assert again == {"job": first["job"], "outcome": "duplicate"}
        assert where(client, first["job"]) == "hot"


def test_the_agent_job_is_t_sql() -> None:
    maxdop = shutil.which("maxdop", path=str(Path(sys.executable).parent)) or shutil.which("maxdop")
    if maxdop is None:
        pytest.skip("maxdop is not installed (development extra)")
    done = subprocess.run(
        [maxdop, "--check", "examples/sql_agent_job.sql"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = (ROOT / "examples/sql_agent_job.sql").read_text(encoding="utf-8")
    assert "EXECUTE [chokaq].[RunMaintenance];" in text
