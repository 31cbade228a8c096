"""What is refused, with which error, and that nothing of a refused call remains."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chokaq import (
    BatchTooLargeError,
    ChokaqError,
    DatabaseError,
    DuplicateRowError,
    Failure,
    FailureReason,
    InvalidJsonError,
    InvalidParameterError,
    InvalidValueError,
    JobQueue,
    Lease,
    MissingValueError,
    NewJob,
    NotRepresentableError,
    RowError,
    UnknownKeyError,
    ValueTooLongError,
)
from tests.contract.support import Database

GOOD = {"queue": "q", "type": "t"}


def refused(db: Database, kind: type[DatabaseError], *rows: Any) -> DatabaseError:
    """EnqueueJobs refuses these rows with this error, and leaves nothing."""
    with pytest.raises(kind) as caught:
        db.call("EnqueueJobs", rows[0] if isinstance(rows[0], str | None) else json.dumps(rows), None)
    assert type(caught.value) is kind
    nothing_is_left(db)
    return caught.value


def nothing_is_left(db: Database) -> None:
    counts = db.sql(
        "SELECT (SELECT COUNT(*) FROM [chokaq].[JobsHot]) AS [Jobs],"
        " (SELECT COUNT(*) FROM [chokaq].[Queues]) AS [Queues];"
    )
    assert list(counts[0].values()) == [0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "[",
        "nonsense",
        '[{"queue": "q", "type": "t"]',
        '[{"queue": "q", "type": "t",}]',
        "{}",
        '{"queue": "q", "type": "t"}',
        '"text"',
        "1",
        "null",
        "[1]",
        '["a"]',
        "[null]",
        "[[]]",
        '[{"queue": "q", "type": "t"}, 7]',
        '{"a": [{"queue": "q", "type": "t"}]}',
        '{"0": {"queue": "q", "type": "t"}}',
        None,
    ],
)
def test_what_is_not_an_array_of_objects(db: Database, text: str | None) -> None:
    refused(db, InvalidJsonError, text)


@pytest.mark.parametrize("key", ["colour", "Queue", "QUEUE", "priority ", "id2"])
def test_unknown_keys(db: Database, key: str) -> None:
    error = refused(db, UnknownKeyError, GOOD, GOOD | {key: "x"})
    assert isinstance(error, RowError)
    assert error.row == 1
    assert error.column == key.strip()


@pytest.mark.parametrize("key", ["queue", "type"])
@pytest.mark.parametrize("value", [..., None, ""])
def test_missing_values(db: Database, key: str, value: Any) -> None:
    row: dict[str, Any] = {name: text for name, text in GOOD.items() if name != key}
    if value is not ...:
        row[key] = value
    error = refused(db, MissingValueError, GOOD, GOOD, row)
    assert isinstance(error, RowError)
    assert (error.row, error.column) == (2, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("priority", -1),
        ("priority", 101),
        ("priority", 1.5),
        ("priority", "10"),
        ("priority", True),
        ("priority", [1]),
        ("priority", 10**30),
        ("delaySeconds", -1),
        ("delaySeconds", 2147483648),
        ("delaySeconds", 0.5),
        ("delaySeconds", "soon"),
        ("maxAttempts", 0),
        ("maxAttempts", 1001),
        ("scheduledAtUtc", "tomorrow"),
        ("scheduledAtUtc", ""),
        ("scheduledAtUtc", 0),
        ("scheduledAtUtc", "2030-02-30T00:00:00"),
        ("scheduledAtUtc", "2030-01-01"),
        ("scheduledAtUtc", "01/02/2030 00:00"),
        ("scheduledAtUtc", "2030-01-01T25:00:00"),
        ("scheduledAtUtc", "2030-01-01T00:00:00+02:00"),
        ("scheduledAtUtc", "2030-01-01T00:00:00-02:00"),
        ("id", 7),
        ("queue", 7),
        ("queue", {"a": 1}),
        ("type", ["t"]),
        ("tags", 1),
        ("tags", ["a", "b"]),
        ("idempotencyKey", False),
    ],
)
def test_values_that_do_not_fit(db: Database, key: str, value: Any) -> None:
    error = refused(db, InvalidValueError, GOOD | {key: value})
    assert isinstance(error, RowError)
    assert (error.row, error.column) == (0, key)


@pytest.mark.parametrize(
    ("key", "length"), [("id", 50), ("queue", 255), ("type", 255), ("tags", 1000), ("idempotencyKey", 255)]
)
def test_the_longest_value_is_taken_and_one_more_is_refused(db: Database, key: str, length: int) -> None:
    error = refused(db, ValueTooLongError, GOOD | {key: "x" * (length + 1)})
    assert isinstance(error, RowError)
    assert (error.row, error.column) == (0, key)
    letter = "e" if db.lacks("code-page-lengths") else "é"
    (answer,) = db.enqueue_rows(GOOD | {key: letter * length})
    stored = db.sql("SELECT * FROM [chokaq].[JobsHot] WHERE [Id] = ?;", answer.job_id)[0]
    assert letter * length in stored.values()


@pytest.mark.parametrize("key", ["id", "queue", "type", "tags", "idempotencyKey"])
@pytest.mark.parametrize("value", ["ключ", "日本", "key-🎉", "a\u0301"])
def test_characters_that_a_column_cannot_hold(db: Database, key: str, value: str) -> None:
    db.needs("exact-varchar")
    error = refused(db, NotRepresentableError, GOOD, GOOD | {key: value})
    assert isinstance(error, RowError)
    assert (error.row, error.column) == (1, key)


def test_characters_of_the_code_page_are_kept(db: Database) -> None:
    text = "Ünï€œ’ÿ"
    done = db.queue.enqueue(text, text, tags=text, idempotency_key=text, created_by=text, job_id=text)
    job = db.job(text)
    assert done.job_id == text
    assert (job.queue, job.type, job.tags, job.idempotency_key, job.created_by) == (text,) * 5


@pytest.mark.parametrize("creator", ["x" * 101, "Ж"])
def test_a_creator_that_the_column_cannot_hold(db: Database, creator: str) -> None:
    if not creator.isascii():
        db.needs("exact-varchar")
    with pytest.raises(InvalidParameterError, match="CreatedBy"):
        db.queue.enqueue("q", "t", created_by=creator)
    nothing_is_left(db)


def test_the_first_bad_row_is_named(db: Database) -> None:
    rows = [dict(GOOD) for _ in range(300)]
    rows[250]["x"] = "1"
    rows[30]["priority"] = "high"
    rows[31]["y"] = "1"
    error = refused(db, InvalidValueError, *rows)
    assert isinstance(error, RowError)
    assert error.row == 30
    assert "row 30, column priority" in str(error)


def test_a_thousand_rows_are_taken_and_one_more_is_refused(db: Database) -> None:
    refused(db, BatchTooLargeError, *([GOOD] * 1001))
    assert len(db.enqueue_rows(*([GOOD] * 1000))) == 1000


def test_the_index_of_a_bad_row_counts_over_all_calls(db: Database) -> None:
    jobs = [NewJob(queue="q", type="t", priority=10 if number != 1500 else 200) for number in range(2000)]
    with pytest.raises(InvalidValueError) as caught:
        db.queue.enqueue_many(jobs)
    assert (caught.value.row, caught.value.index) == (500, 1500)
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 1000


# The other JSON parameters are checked by the same procedure; here that each is.

LEASE = {"id": "x", "lease": 1}
WORKER_CALLS: dict[str, dict[str, Any]] = {
    "MarkAsProcessing": LEASE,
    "KeepAlive": LEASE,
    "ReleaseJobs": LEASE,
    "CompleteJobs": LEASE,
    "FailJobs": LEASE | {"reason": 8},
}


@pytest.mark.parametrize("procedure", WORKER_CALLS)
def test_the_worker_calls_check_their_rows(db: Database, procedure: str) -> None:
    good = WORKER_CALLS[procedure]

    def call(rows: Any, worker: str | None = "w1") -> list[Any]:
        return db.call(procedure, worker, rows if isinstance(rows, str | None) else json.dumps(rows))

    assert call([]) == []
    assert [row[1] for row in call([good])] == ["lost"]
    for text in ("", "{}", "[1]", None):
        with pytest.raises(InvalidJsonError):
            call(text)
    with pytest.raises(UnknownKeyError):
        call([good | {"priority": 1}])
    for key in good:
        with pytest.raises(MissingValueError):
            call([{name: value for name, value in good.items() if name != key}])
    with pytest.raises(InvalidValueError):
        call([good | {"lease": "1"}])
    with pytest.raises(InvalidValueError):
        call([good | {"lease": 1.5}])
    with pytest.raises(InvalidValueError):
        call([good | {"lease": 2**63}])
    with pytest.raises(InvalidValueError):
        call([good | {"id": 1}])
    with pytest.raises(ValueTooLongError):
        call([good | {"id": "x" * 51}])
    with pytest.raises(DuplicateRowError):
        call([good, good | {"id": "X"}])
    with pytest.raises(BatchTooLargeError):
        call([good | {"id": f"{number}"} for number in range(1001)])
    for worker in (None, ""):
        with pytest.raises(InvalidParameterError, match="WorkerId"):
            call([good], worker)


@pytest.mark.parametrize("procedure", ["CompleteJobs", "FailJobs"])
@pytest.mark.parametrize("value", [-1, -0.001, "5", 10**400])
def test_impossible_durations(db: Database, procedure: str, value: Any) -> None:
    row = WORKER_CALLS[procedure] | {"durationMs": value}
    with pytest.raises(InvalidValueError):
        db.call(procedure, "w1", json.dumps([row]))


@pytest.mark.parametrize("reason", [-1, 2, 10, 11, 1.5, "8"])
def test_reasons_that_no_worker_may_give(db: Database, reason: Any) -> None:
    lease = db.started()
    row = {"id": lease.job_id, "lease": lease.lease_token, "reason": reason}
    before = db.job(lease.job_id)
    with pytest.raises(InvalidValueError, match="reason"):
        db.call("FailJobs", "w1", json.dumps([row]))
    assert db.job(lease.job_id) == before


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("retryAfterSeconds", -1, InvalidValueError),
        ("retryAfterSeconds", 2147483648, InvalidValueError),
        ("error", 5, InvalidValueError),
        ("errorGroup", "x" * 511, ValueTooLongError),
    ],
)
def test_impossible_failures(db: Database, key: str, value: Any, kind: type[DatabaseError]) -> None:
    with pytest.raises(kind, match=key):
        db.call("FailJobs", "w1", json.dumps([LEASE | {"reason": 8, key: value}]))


def test_the_longest_error_group(db: Database) -> None:
    db.needs("code-page-lengths")
    lease = db.started()
    with pytest.raises(ValueTooLongError, match="errorGroup"):
        db.fail("w1", lease, FailureReason.TRANSIENT, error_group="x" * 256)
    assert db.fail("w1", lease, FailureReason.TRANSIENT, error_group="x" * 255).value == "retry"


def test_one_bad_row_refuses_the_whole_call(db: Database) -> None:
    db.fill("q", 2)
    good, bad = db.start("w1", 2)
    before = db.job(good.job_id)
    rows = [
        {"id": good.job_id, "lease": good.lease_token},
        {"id": bad.job_id, "lease": bad.lease_token, "durationMs": -5},
    ]
    with pytest.raises(InvalidValueError, match="row 1, column durationMs"):
        db.call("CompleteJobs", "w1", json.dumps(rows))
    assert db.job(good.job_id) == before


# Things the driver refuses before the server sees them


def test_a_worker_name_that_is_too_long(db: Database) -> None:
    with pytest.raises(ValueTooLongError):
        db.queue.fetch("w" * 101)


def test_a_worker_name_that_the_column_cannot_hold(db: Database) -> None:
    db.needs("exact-varchar")
    db.fill("q")
    with pytest.raises(NotRepresentableError):
        db.queue.fetch("worker-ж")
    assert db.scalar("SELECT MAX([Status]) AS [s] FROM [chokaq].[JobsHot];") == 0


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"delay": float("nan")}, ValueError),
        ({"delay": "1"}, TypeError),
        ({"payload": b"bytes"}, TypeError),
        ({"payload": {"x": float("inf")}}, ValueError),
        ({"payload": {1, 2}}, TypeError),
        ({"payload": "\ud800"}, ValueError),
        ({"priority": "1"}, TypeError),
        ({"scheduled_at": "2030-01-01"}, TypeError),
    ],
)
def test_values_that_no_call_can_carry(db: Database, values: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        db.queue.enqueue("q", "t", **values)
    nothing_is_left(db)


def test_a_negative_delay(db: Database) -> None:
    with pytest.raises(InvalidValueError, match="delaySeconds"):
        db.queue.enqueue("q", "t", delay=-1)
    nothing_is_left(db)


def test_the_lease_of_a_job_that_never_was(db: Database) -> None:
    lease = Lease(job_id="no such job", lease_token=1)
    assert [each.outcome.value for each in db.queue.keep_alive("w1", lease)] == ["lost"]
    failure = Failure(lease=lease, reason=FailureReason.TRANSIENT)
    assert [each.outcome.value for each in db.queue.fail("w1", failure)] == ["lost"]


# Payloads


@pytest.mark.parametrize(
    "payload",
    [
        "",
        " ",
        "emoji 🎉👩‍👩‍👧 and Кириллица 漢字",
        "quotes \" ' ` and brackets []{}",
        'backslashes \\ \\\\ \\n \\u0041 \\" C:\\temp\\new',
        "lines\nand\r\ntabs\tand \b \f",
        "controls \x7f\x85\u2028",
        "'); DROP TABLE [chokaq].[JobsHot]; --",
        "trailing spaces   ",
        "x" * 5000,
        "🎉" * 4001,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_text_payload_comes_back_as_it_was(db: Database, payload: str) -> None:
    done = db.queue.enqueue("q", "t", payload)
    assert db.job(done.job_id).payload == payload
    (job,) = db.claim()
    assert job.payload == payload


@pytest.mark.parametrize(
    "payload",
    [
        {},
        [],
        {"a": [1, 2.5, None, True, "x"], "b": {"c": '🎉 Ж " \\ \n \\u0041'}},
        [[], [{}], "text"],
        {"long": "x" * 9000},
        7,
        1.25,
        False,
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_json_payload_comes_back_as_it_was(db: Database, payload: Any) -> None:
    done = db.queue.enqueue("q", "t", payload)
    assert db.job(done.job_id).json() == payload
    (job,) = db.claim()
    assert job.json() == payload


def test_a_payload_with_nul(db: Database) -> None:
    """Kept where the server can hold it; else an error that says so, and nothing half done."""
    payload = "before\0after"
    if not db.lacks("nul"):
        done = db.queue.enqueue("q", "t", payload)
        assert db.job(done.job_id).payload == payload
        return
    with pytest.raises(ChokaqError):
        db.queue.enqueue("q", "t", payload)
    nothing_is_left(db)
    assert db.queue.enqueue("q", "t").job_id  # the queue goes on


def test_a_payload_with_control_characters(db: Database) -> None:
    db.needs("json-controls")
    payload = "".join(map(chr, range(1, 32)))
    done = db.queue.enqueue("q", "t", payload)
    assert db.job(done.job_id).payload == payload


@pytest.mark.parametrize("megabytes", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_large_payload(db: Database, megabytes: int) -> None:
    if megabytes > 2:
        db.needs("large-values")
    half = megabytes * 512 * 1024
    payload = "x" * half + "y" * half
    done = db.queue.enqueue("q", "t", payload)
    job = db.job(done.job_id)
    assert job.payload is not None
    assert len(job.payload) == len(payload)
    assert job.payload == payload


def test_no_payload(db: Database) -> None:
    job = db.job(db.queue.enqueue("q", "t", None).job_id)
    assert job.payload is None
    assert job.json() is None


def test_an_open_connection_works_like_a_url(db: Database) -> None:
    connection = db.connect(autocommit=True)
    try:
        queue = JobQueue(connection, db.schema)
        with pytest.raises(InvalidValueError):
            queue.enqueue("q", "t", priority=101)
        assert queue.enqueue("q", "t", priority=100).outcome.value == "enqueued"
    finally:
        connection.close()
