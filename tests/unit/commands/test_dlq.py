"""dlq list|show|errors|preview|resurrect|purge|edit."""

from __future__ import annotations

import pytest

from chokaq import FailureReason, Pillar
from tests.unit.commands.conftest import Shell


def pillar(shell: Shell, job_id: str) -> Pillar | None:
    job = shell.queue.get_job(job_id)
    return None if job is None else job.pillar


def test_list_and_show(shell: Shell) -> None:
    first, second = shell.dead("mail", "report", tags="customer-17")
    text = shell("dlq", "list").stdout
    assert text.index(second) < text.index(first)
    assert "mail / send  attempts 1  tags customer-17" in text
    assert "    no route to host\n" in text
    assert [job["job_id"] for job in shell.json("dlq", "list", "--queue", "mail")["jobs"]] == [first]
    assert shell.json("dlq", "list", "--reason", "timeout")["jobs"] == []
    shown = shell("dlq", "show", first).stdout
    assert "FatalError" in shown
    assert "trace" in shown
    assert shell.json("dlq", "show", first)["job"]["failure_reason"] == "FatalError"
    assert shell.json("dlq", "show", "nope", code=6) == {"job": None}


def test_nothing_is_dead(shell: Shell) -> None:
    assert shell("dlq", "list").stdout == "no dead jobs\n"
    assert shell("dlq", "errors").stdout == "no failures in the last 24 h\n"
    assert shell("dlq", "preview").stdout == "0 match: all dead jobs\n"
    assert shell("dlq", "resurrect", "--all", "--yes").stdout == "nothing matches\n"
    assert shell.json("dlq", "purge", "--all", "--yes") == {"matched": 0, "outcomes": {}, "jobs": []}


def test_errors_by_how_often(shell: Shell) -> None:
    shell.dead("mail", "mail")
    found = shell.json("dlq", "errors", "--queue", "mail")
    assert [(each["error_group"], each["failures"], each["final"]) for each in found["errors"]] == [
        ("no route to host", 2, 2)
    ]
    assert "no route to host" in shell("dlq", "errors").stdout


@pytest.mark.parametrize("action", ["resurrect", "purge"])
def test_actions_want_to_know_what(shell: Shell, action: str) -> None:
    job_id = shell.dead("mail")[0]
    for wrong in ([], [job_id, "--queue", "mail"], ["--all", "--queue", "mail"], [job_id, "--all"]):
        shell("dlq", action, *wrong, "--yes", code=2)
    assert pillar(shell, job_id) is Pillar.DLQ


@pytest.mark.parametrize("action", ["resurrect", "purge"])
def test_actions_by_filter_show_what_they_take(shell: Shell, terminal: None, action: str) -> None:
    first, other, second = shell.dead("mail", "report", "mail")
    declined = shell("dlq", action, "--queue", "mail", input="\n", code=1)
    assert first in declined.stderr
    assert second in declined.stderr
    assert other not in declined.stderr
    assert "2 match: queue mail" in declined.stderr
    assert pillar(shell, first) is Pillar.DLQ
    agreed = shell("dlq", action, "--queue", "mail", "--max", "1", input="y\n")
    assert agreed.stdout.split() == [first, f"{action}{'d' if action == 'purge' else 'ed'}"]
    assert pillar(shell, second) is pillar(shell, other) is Pillar.DLQ


def test_without_a_terminal_yes_is_needed(shell: Shell) -> None:
    job_id = shell.dead("mail")[0]
    for command in (["resurrect", "--all"], ["purge", job_id], ["edit", job_id, "--tags", "x"]):
        assert "--yes" in shell("dlq", *command, code=2).stderr
    assert pillar(shell, job_id) is Pillar.DLQ


def test_resurrect_by_id_with_edits(shell: Shell) -> None:
    job_id = shell.dead("mail", payload="old")[0]
    shell("dlq", "resurrect", job_id, "--payload", "new", "--priority", "90", "--by", "ann", "--yes")
    job = shell.queue.get_job(job_id)
    assert job is not None
    assert (job.pillar, job.payload, job.priority, job.attempt_count) == (Pillar.HOT, "new", 90, 0)
    assert job.last_modified_by == "ann"


def test_edits_do_not_go_with_a_filter(shell: Shell) -> None:
    shell.dead("mail")
    shell("dlq", "resurrect", "--all", "--payload", "same for all", "--yes", code=2)


def test_a_key_that_is_active_again(shell: Shell) -> None:
    job_id = shell.dead("mail", idempotency_key="k")[0]
    shell.queue.enqueue("mail", "send", idempotency_key="k")
    done = shell.json("dlq", "resurrect", "--all", "--yes", code=6)
    assert done == {
        "matched": 1,
        "outcomes": {"key-active": 1},
        "jobs": [{"job_id": job_id, "outcome": "key-active"}],
    }


def test_more_jobs_than_one_call_takes(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from chokaq.commands import dlq_actions

    monkeypatch.setattr(dlq_actions, "_CALL", 2)
    shell.dead(*["mail"] * 5)
    assert shell.json("dlq", "resurrect", "--all", "--yes")["outcomes"] == {"resurrected": 5}


def test_purge_by_id(shell: Shell) -> None:
    job_id = shell.dead("mail")[0]
    assert shell("dlq", "purge", job_id, "nope", "--yes", code=6).stdout.split() == [
        job_id,
        "purged",
        "nope",
        "not-found",
    ]
    assert pillar(shell, job_id) is None


def test_edit(shell: Shell, terminal: None) -> None:
    job_id = shell.dead("mail", payload="old")[0]
    told = shell("dlq", "edit", job_id, "--payload", "new", input="y\n")
    assert "payload now" in told.stderr
    job = shell.queue.get_job(job_id)
    assert job is not None
    assert (job.pillar, job.payload) == (Pillar.DLQ, "new")
    shell("dlq", "edit", job_id, code=2)
    assert shell.json("dlq", "edit", "nope", "--tags", "x", "--yes", code=6)["outcomes"] == {"not-found": 1}


def test_preview_with_every_part(shell: Shell) -> None:
    job_id = shell.dead("mail", tags="customer-17", reason=FailureReason.REJECTED)[0]
    shell.dead("mail")
    parts = [
        "--queue",
        "mail",
        "--type",
        "send",
        "--reason",
        "Rejected",
        "--tag",
        "customer",
        "--text",
        "route",
    ]
    times = [
        "--failed-from",
        "1h",
        "--failed-to",
        "2999-01-01",
        "--created-from",
        "1h",
        "--created-to",
        "2999-01-01",
    ]
    found = shell.json("dlq", "preview", *parts, *times)
    assert (found["matched"], [each["job_id"] for each in found["sample"]]) == (1, [job_id])
    assert shell.json("dlq", "preview", "--failed-to", "1h")["matched"] == 0
