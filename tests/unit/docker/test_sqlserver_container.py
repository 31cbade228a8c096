"""The helper of the tasks up, down and test: password, URL, command."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from chokaq.urls import parse
from tools import sqlserver_container as container


def test_a_password_is_made_once_and_kept_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    made = container.ensure_password(path)
    assert container.ensure_password(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(made) == 32
    assert all(any(kind(character) for character in made) for kind in (str.isupper, str.islower, str.isdigit))


def test_settings_that_are_there_are_kept(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# mine\nSQLSERVER_PORT=15000\n")
    made = container.ensure_password(path)
    assert container.read_settings(path) == {"SQLSERVER_PORT": "15000", "MSSQL_SA_PASSWORD": made}


def test_two_passwords_differ() -> None:
    assert container.new_password() != container.new_password()


def test_the_url_is_one_that_the_driver_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLSERVER_PORT", raising=False)
    path = tmp_path / ".env"
    path.write_text("MSSQL_SA_PASSWORD=a/b@c:d\n")
    target = parse(container.url("some_db", path))
    assert (str(target), target.user, target.password) == (
        "mssql://sa:***@127.0.0.1:14330/some_db",
        "sa",
        "a/b@c:d",
    )


def test_the_port_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ".env"
    path.write_text("MSSQL_SA_PASSWORD=x\nSQLSERVER_PORT=15000\n")
    monkeypatch.delenv("SQLSERVER_PORT", raising=False)
    assert "127.0.0.1:15000/" in container.url(path=path)
    monkeypatch.setenv("SQLSERVER_PORT", "16000")
    assert "127.0.0.1:16000/" in container.url(path=path)


def test_without_a_server_there_is_no_url(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"\./dev up"):
        container.url(path=tmp_path / ".env")


def test_without_docker_the_tasks_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LookupError, match="docker was not found"):
        container.compose("ps")


def test_compose_gets_the_version_and_the_password_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "docker"
    fake.write_text('#!/bin/sh\necho "$SQLSERVER_TAG $*" > "$0.log"\nexit 7\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert container.compose("up", "--wait", version="2019") == 7
    called = (tmp_path / "docker.log").read_text().split()
    assert called[0] == "2019-latest"
    assert called[1:3] == ["compose", "--file"]
    assert called[-2:] == ["up", "--wait"]
