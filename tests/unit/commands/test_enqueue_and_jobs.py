"""enqueue, job list|show|cancel|edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from chokaq import Outcome
from tests.unit.commands.conftest import Shell


def test_enqueue_prints_id_and_outcome(shell: Shell) -> None:
    job_id, outcome = shell("enqueue", "mail", "welcome", "--payload", '{"a": 1}').stdout.split()
    assert outcome == "enqueued"
    job = shell.queue.get_job(job_id)
    assert job is not None
    assert (job.queue, job.type, job.payload) == ("mail", "welcome", '{"a": 1}')


def test_enqueue_twice_with_one_key(shell: Shell) -> None:
    first = shell.json("enqueue", "mail", "welcome", "--key", "k")
    second = shell.json("enqueue", "mail", "welcome", "--key", "k")
    assert second == {"job_id": first["job_id"], "outcome": "duplicate"}


def test_enqueue_with_everything(shell: Shell, tmp_path: Path) -> None:
    body = tmp_path / "body.json"
    body.write_text('{"name": "Ünal"}', encoding="utf-8")
    options = ["--payload-file", str(body), "--tags", "a b", "--priority", "50", "--at", "2031-02-03T04:05"]
    more = ["--max-attempts", "7", "--id", "mine-1", "--by", "ann"]
    shell("enqueue", "mail", "welcome", *options, *more)
    job = shell.json("job", "show", "mine-1")["job"]
    assert job["payload"] == '{"name": "Ünal"}'
    assert job["scheduled_at"] == "2031-02-03T04:05:00+00:00"
    assert (job["tags"], job["priority"], job["max_attempts"], job["created_by"]) == ("a b", 50, 7, "ann")
    assert (job["pillar"], job["status"]) == ("hot", "Pending")


def test_enqueue_takes_the_payload_from_standard_input(shell: Shell) -> None:
    job_id = shell("enqueue", "mail", "welcome", "--payload-file", "-", input="[1]").stdout.split()[0]
    job = shell.queue.get_job(job_id)
    assert job is not None
    assert job.payload == "[1]"


@pytest.mark.parametrize(
    "wrong",
    [
        ["--delay", "5", "--at", "2031-01-01"],
        ["--delay", "soon"],
        ["--at", "tomorrow"],
        ["--priority", "101"],
        ["--payload", "x", "--payload-file", "-"],
        ["--payload-file", "/does/not/exist"],
    ],
)
def test_enqueue_refuses(shell: Shell, wrong: list[str]) -> None:
    shell("enqueue", "mail", "welcome", *wrong, code=2)
    assert shell.queue.queue_stats() == []


def test_a_delay_has_units(shell: Shell) -> None:
    job_id = shell("enqueue", "mail", "welcome", "--delay", "2h").stdout.split()[0]
    job = shell.queue.get_job(job_id)
    assert job is not None
    assert 7100 < (job.scheduled_at - job.created_at).total_seconds() < 7300


def test_jobs_in_a_list_fit_80_columns(shell: Shell) -> None:
    for number in range(3):
        shell.queue.enqueue("q" * 60, "t" * 60, tags=f"tag {number}")
    text = shell("job", "list", "--limit", "2").output
    assert max(map(len, text.splitlines())) <= 80
    assert "more than 2" in text
    assert shell.json("job", "list", "--limit", "2")["more"] is True
    assert len(shell.json("job", "list", "--status", "pending")["jobs"]) == 3
    assert shell.json("job", "list", "--archive") == {"jobs": [], "more": False}


def test_show_a_job_that_is_nowhere(shell: Shell) -> None:
    assert shell.json("job", "show", "nope", code=6) == {"job": None}
    assert "does not exist" in shell("job", "show", "nope", code=6).stderr


def test_what_a_job_holds_cannot_reach_the_terminal(shell: Shell) -> None:
    shell.queue.enqueue("mail", "welcome", payload="\x1b[2Jgone", job_id="j1")
    text = shell("job", "show", "j1").stdout
    assert "\x1b" not in text
    assert r"\x1b[2Jgone" in text


def test_cancel_asks_first(shell: Shell, terminal: None) -> None:
    shell.queue.enqueue("mail", "welcome", job_id="j1")
    declined = shell("job", "cancel", "j1", input="n\n", code=1)
    assert "j1  Pending  mail / welcome" in declined.stderr
    assert "nothing was done" in declined.stderr
    assert declined.stdout == ""
    agreed = shell("job", "cancel", "j1", "--reason", "wrong address", input="y\n")
    assert "j1  cancelled" in agreed.stdout
    job = shell.queue.get_job("j1")
    assert job is not None
    assert job.error_details == "wrong address"


def test_cancel_without_a_terminal_wants_yes(shell: Shell) -> None:
    shell.queue.enqueue("mail", "welcome", job_id="j1")
    assert "--yes" in shell("job", "cancel", "j1", code=2).stderr
    done = shell.json("job", "cancel", "j1", "nope", "j1", "--yes", code=6)
    assert done["outcomes"] == {"cancelled": 1, "not-found": 1}


def test_edit_shows_old_and_new(shell: Shell, terminal: None) -> None:
    shell.queue.enqueue("mail", "welcome", payload="old", job_id="j1")
    told = shell("job", "edit", "j1", "--payload", "new", "--priority", "3", input="y\n")
    assert "payload now" in told.stderr
    assert "payload then" in told.stderr
    job = shell.queue.get_job("j1")
    assert job is not None
    assert (job.payload, job.priority) == ("new", 3)


def test_edit_of_a_claimed_job(shell: Shell) -> None:
    shell.queue.enqueue("mail", "welcome", job_id="j1")
    shell.queue.fetch("w1")
    done = shell.json("job", "edit", "j1", "--priority", "3", "--yes", code=6)
    assert done == {"job_id": "j1", "outcome": Outcome.NOT_PENDING.value}
    shell("job", "edit", "j1", "--yes", code=2)
