"""queue …, stats, maintain, settings, and what all commands share."""

from __future__ import annotations

import click
import pytest

from chokaq.cli import main
from chokaq.commands import COMMANDS
from tests.unit.commands.conftest import Shell


def test_pause_and_resume(shell: Shell) -> None:
    shell.queue.enqueue("mail", "send")
    assert "paused        yes" in shell("queue", "pause", "mail").stdout
    assert shell.queue.fetch("w1") == []
    assert shell.json("queue", "list")["queues"][0]["is_paused"] is True
    assert shell.json("queue", "resume", "mail")["queue"]["is_paused"] is False
    assert len(shell.queue.fetch("w1")) == 1


def test_a_mistyped_queue_is_an_error(shell: Shell) -> None:
    for command in (["pause"], ["retry-policy"], ["zombie-policy"]):
        found = shell.json("queue", *command, "mial", code=1)
        assert (found["kind"], found["exit_code"]) == ("QueueNotFoundError", 1)
    assert shell.json("queue", "pause", "mial", "--create")["queue"]["queue"] == "mial"


def test_deactivate_asks(shell: Shell, terminal: None) -> None:
    shell.queue.enqueue("mail", "send")
    assert "1 jobs wait" in shell("queue", "deactivate", "mail", input="n\n", code=1).stderr
    shell("queue", "deactivate", "mail", input="y\n")
    assert "inactive" in shell("queue", "list").stdout
    assert shell.json("queue", "activate", "mail")["queue"]["is_active"] is True


def test_limit(shell: Shell) -> None:
    shell.queue.enqueue("mail", "send")
    assert shell.json("queue", "limit", "mail", "3")["queue"]["max_workers"] == 3
    assert "active, max 3" in shell("queue", "list").stdout
    assert shell.json("queue", "limit", "mail", "none")["queue"]["max_workers"] is None
    shell("queue", "limit", "mail", "few", code=2)
    shell("queue", "limit", "mail", "--", "-1", code=2)


def test_a_policy_changes_only_where_it_is_told(shell: Shell) -> None:
    shell.queue.enqueue("mail", "send")
    shell.queue.set_queue_paused("mail", True)
    before = shell.json("queue", "retry-policy", "mail")["queue"]
    assert (before["max_attempts"], before["retry_base_seconds"], before["is_paused"]) == (3, 10, True)
    after = shell.json("queue", "retry-policy", "mail", "--attempts", "9", "--base", "1m", "--max-age", "1d")
    changed = {name for name, value in after["queue"].items() if value != before[name]}
    assert changed == {"max_attempts", "retry_base_seconds", "max_job_age_seconds", "last_updated_at"}
    shown = shell("queue", "retry-policy", "mail").stdout
    assert "retry after   60 s, then times 2, at most 60 min, give or take 10 %" in shown
    assert (
        shell.json("queue", "retry-policy", "mail", "--max-age", "none")["queue"]["max_job_age_seconds"]
        is None
    )
    zombie = shell.json("queue", "zombie-policy", "mail", "--action", "retry", "--timeout", "5m")["queue"]
    assert (zombie["zombie_action"], zombie["zombie_timeout_seconds"], zombie["max_attempts"]) == (
        "Retry",
        300,
        9,
    )
    assert (
        shell.json("queue", "zombie-policy", "mail", "--timeout", "none")["queue"]["zombie_action"] == "Retry"
    )
    shell("queue", "zombie-policy", "mail", "--timeout", "long", code=2)


def test_showing_a_policy_does_not_pause(shell: Shell) -> None:
    shell.queue.enqueue("mail", "send")
    assert "paused        no" in shell("queue", "retry-policy", "mail").stdout
    assert shell.queue.queue_health("mail")[0].is_paused is False
    assert shell.json("queue", "retry-policy", "new", "--create")["queue"]["is_paused"] is False


def test_stats(shell: Shell) -> None:
    shell.dead("mail")
    shell.queue.enqueue("a-queue-with-a-name-that-is-longer-than-most", "send", delay=3600)
    text = shell("stats").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "last minute     1 done, 100.0% failed" in text
    found = shell.json("stats", "--queue", "mail")
    assert set(found) == {"queues", "throughput"}
    assert found["queues"][0]["totals"]["failed_total"] == 1
    assert set(found["queues"][0]) == {"queue", "stats", "health", "totals"}
    assert shell("stats", "--queue", "nope").stdout.startswith("no queue nope\n")


def test_a_pipe_gets_whole_names(shell: Shell) -> None:
    shell.columns = ""
    name = "q" * 120
    shell.queue.enqueue(name, "send")
    assert name in shell("stats").stdout


def test_maintain(shell: Shell) -> None:
    text = shell("maintain").stdout
    assert "purged-archive" in text
    found = shell.json("maintain", "--once")
    assert (found["busy"], found["calls"], found["more_left"]) == (False, 1, False)
    assert found["tasks"]["recovered"] == 0


def test_settings(shell: Shell) -> None:
    assert "archive-retention-days    30" in shell("settings").stdout
    after = shell.json("settings", "--dlq-retention-days", "60", "--archive-retention-days", "none")[
        "settings"
    ]
    assert (after["dlq_retention_days"], after["archive_retention_days"]) == (60, None)
    refused = shell.json("settings", "--bucket-retention-minutes", "1", code=1)
    assert refused["kind"] == "DatabaseError"


# All commands


def commands(group: click.Group, *path: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            found += commands(command, *path, name)
        else:
            found.append((*path, name))
    return found


OPERATORS = click.Group(commands={str(each.name): each for each in COMMANDS})


@pytest.mark.parametrize("path", commands(OPERATORS), ids=" ".join)
def test_every_command_has_help_json_and_url(shell: Shell, path: tuple[str, ...]) -> None:
    text = shell(*path, "-h").stdout
    assert "--json" in text
    assert "--url" in text
    assert "--schema" in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.split("Options:")[0].split("\n\n")[1].strip()) > 15  # says what it does


def test_no_url(shell: Shell) -> None:
    shell.url = ""
    assert "--url" in shell("stats", code=2).stderr


@pytest.mark.parametrize("url", ["postgres://u:geheim@h/db", "mssql://u:geheim@h:x/db", "nonsense"])
def test_a_bad_url_is_a_usage_error_without_its_password(shell: Shell, url: str) -> None:
    shell.url = url
    found = shell("stats", code=2)
    assert "geheim" not in found.output


def test_a_file_that_is_not_there_is_not_made(shell: Shell) -> None:
    shell.url = shell.url.replace("jobs.db", "jbos.db")
    found = shell.json("stats", code=1)
    assert found["kind"] == "ConnectionFailedError"
    assert "There is no file" in shell("stats", code=1).stderr


def test_a_schema_that_is_not_there(shell: Shell) -> None:
    assert shell.json("stats", "--schema", "other", code=1)["kind"] == "NotDeployedError"


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_shell_completion(kind: str, shell: Shell) -> None:
    from click.shell_completion import get_completion_class

    made = get_completion_class(kind)
    assert made is not None
    completion = made(main, {}, "chokaq", "_CHOKAQ_COMPLETE")
    names = [item.value for item in completion.get_completions(["dlq"], "re")]
    assert names == ["resurrect"]
    options = [item.value for item in completion.get_completions(["dlq", "list"], "--r")]
    assert options == ["--reason"]
    reasons = [item.value for item in completion.get_completions(["dlq", "list", "--reason"], "Z")]
    assert [reason.lower() for reason in reasons] == ["zombie"]
