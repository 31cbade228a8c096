"""EnqueueJobs and EnqueueJob: outcomes, defaults, idempotency keys, ids, times, the caller's transaction."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone

import pytest

from chokaq import FailureReason, JobStatus, NewJob, Outcome, Pillar
from tests.contract.support import Database


def test_a_job_is_stored_with_everything_it_was_given(db: Database) -> None:
    due = datetime(2031, 5, 6, 7, 8, 9, 123456, tzinfo=timezone.utc)
    done = db.queue.enqueue(
        "mail",
        "send",
        '{"to": "x"}',
        tags="red,blue",
        idempotency_key="order-1",
        priority=77,
        scheduled_at=due,
        max_attempts=5,
        created_by="shop",
    )
    assert done.outcome is Outcome.ENQUEUED
    assert done.ordinal == 0
    job = db.job(done.job_id)
    assert (job.pillar, job.status) == (Pillar.HOT, JobStatus.PENDING)
    assert (job.queue, job.type, job.payload, job.tags) == ("mail", "send", '{"to": "x"}', "red,blue")
    assert (job.idempotency_key, job.priority, job.max_attempts) == ("order-1", 77, 5)
    assert job.scheduled_at == due
    assert (job.attempt_count, job.lease_token, job.worker_id) == (0, 0, None)
    assert (job.created_by, job.last_modified_by) == ("shop", "shop")
    assert (job.heartbeat_at, job.started_at, job.cancel_requested_at) == (None, None, None)


def test_defaults(db: Database) -> None:
    before = db.scalar("SELECT SYSUTCDATETIME() AS [Now];").replace(tzinfo=timezone.utc)
    job = db.job(db.queue.enqueue("mail", "send").job_id)
    after = db.scalar("SELECT SYSUTCDATETIME() AS [Now];").replace(tzinfo=timezone.utc)
    assert (job.priority, job.payload, job.tags, job.idempotency_key) == (10, None, None, None)
    assert (job.max_attempts, job.created_by) == (None, None)
    assert before <= job.created_at <= after
    assert job.scheduled_at == job.created_at == job.last_updated_at


def test_an_unknown_queue_is_created_with_its_defaults_and_a_known_one_is_left_alone(db: Database) -> None:
    db.queue.enqueue("new", "t")
    row = db.sql("SELECT [Name], [IsPaused], [IsActive], [MaxWorkers], [MaxAttempts] FROM [chokaq].[Queues];")
    assert [tuple(r.values()) for r in row] == [("new", False, True, None, 3)]
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[QueueGates];") == 1
    db.queue.set_queue_max_workers("new", 4)
    db.queue.enqueue("NEW", "t")
    assert db.scalar("SELECT [MaxWorkers] FROM [chokaq].[Queues];") == 4


def test_an_id_that_any_pillar_holds_exists(db: Database) -> None:
    hot, archived, dead = (uuid.uuid4().hex for _ in range(3))
    for job_id in (hot, archived, dead):
        assert db.queue.enqueue("q", "t", "first", job_id=job_id).outcome is Outcome.ENQUEUED
    jobs = {job.job_id: job.lease for job in db.start("w1", 3)}
    db.complete("w1", jobs[archived])
    db.fail("w1", jobs[dead], FailureReason.FATAL_ERROR)
    again = db.queue.enqueue_many(
        [NewJob(queue="q", type="t", payload="second", job_id=job_id) for job_id in (hot, archived, dead)]
    )
    assert [(a.job_id, a.outcome) for a in again] == [
        (hot, Outcome.EXISTS),
        (archived, Outcome.EXISTS),
        (dead, Outcome.EXISTS),
    ]
    assert [db.job(job_id).payload for job_id in (hot, archived, dead)] == ["first"] * 3
    assert [db.job(job_id).pillar for job_id in (hot, archived, dead)] == ["hot", "archive", "dlq"]


def test_a_repeated_call_inserts_nothing(db: Database) -> None:
    jobs = [NewJob(queue="q", type="t", job_id=uuid.uuid4().hex) for _ in range(5)]
    first = db.queue.enqueue_many(jobs)
    second = db.queue.enqueue_many(jobs)
    assert [answer.job_id for answer in first] == [answer.job_id for answer in second]
    assert {answer.outcome for answer in second} == {Outcome.EXISTS}
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 5


def test_the_same_id_twice_in_one_call_counts_once(db: Database) -> None:
    first, second = db.enqueue_rows(
        {"id": "a1", "queue": "q", "type": "t", "payload": "first"},
        {"id": "A1", "queue": "q", "type": "t", "payload": "second"},
    )
    assert (first.outcome, second.outcome) == (Outcome.ENQUEUED, Outcome.EXISTS)
    assert db.job("a1").payload == "first"


def test_ids_made_by_the_procedure_are_time_ordered_uuids(db: Database) -> None:
    ids = [db.enqueue_rows({"queue": "q", "type": "t"})[0].job_id for _ in range(3)]
    many = [answer.job_id for answer in db.enqueue_rows(*({"queue": "q", "type": "t"} for _ in range(50)))]
    for job_id in ids + many:
        made = uuid.UUID(job_id)
        assert (str(made), made.version, made.variant) == (job_id, 7, uuid.RFC_4122)
        moment = datetime.fromtimestamp((made.int >> 80) / 1000, timezone.utc)
        assert abs(moment - datetime.now(timezone.utc)) < timedelta(minutes=5)
    assert len(set(many)) == 50
    assert [job_id[:13] for job_id in ids] == sorted(job_id[:13] for job_id in ids)


# Idempotency keys


def test_an_active_key_gives_the_job_that_has_it(db: Database) -> None:
    first = db.queue.enqueue("q", "t", "one", idempotency_key="k")
    second = db.queue.enqueue("other", "u", "two", idempotency_key="k")
    assert (second.job_id, second.outcome) == (first.job_id, Outcome.DUPLICATE)
    assert db.job(first.job_id).payload == "one"
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 1


def test_a_key_twice_in_one_call_gives_the_first_row(db: Database) -> None:
    jobs = [NewJob(queue="q", type="t", idempotency_key=key) for key in ("a", "b", "a", "A", "a ")]
    answers = db.queue.enqueue_many(jobs)
    assert [a.outcome.value for a in answers] == [
        "enqueued",
        "enqueued",
        "duplicate",
        "duplicate",
        "duplicate",
    ]
    assert {answers[n].job_id for n in (0, 2, 3, 4)} == {answers[0].job_id}


def test_keys_are_compared_as_the_database_compares(db: Database) -> None:
    first = db.queue.enqueue("q", "t", idempotency_key="Order-É")
    for key in ("order-é", "ORDER-É", "Order-É  "):
        assert db.queue.enqueue("q", "t", idempotency_key=key).job_id == first.job_id
    assert db.queue.enqueue("q", "t", idempotency_key="order-e").outcome is Outcome.ENQUEUED


def test_a_key_is_active_while_the_job_is_claimed_or_runs(db: Database) -> None:
    first = db.queue.enqueue("q", "t", idempotency_key="k")
    db.claim()
    assert db.queue.enqueue("q", "t", idempotency_key="k").outcome is Outcome.DUPLICATE
    job = db.job(first.job_id)
    db.sql("UPDATE [chokaq].[JobsHot] SET [Status] = 2 WHERE [Id] = ?;", job.job_id)
    assert db.queue.enqueue("q", "t", idempotency_key="k").outcome is Outcome.DUPLICATE


@pytest.mark.parametrize("end", ["archive", "dlq"])
def test_a_key_is_free_when_the_job_has_ended(db: Database, end: str) -> None:
    lease = db.started(idempotency_key="k")
    if end == "archive":
        db.complete("w1", lease)
    else:
        db.fail("w1", lease, FailureReason.REJECTED)
    assert db.job(lease.job_id).idempotency_key == "k"
    again = db.queue.enqueue("q", "t", idempotency_key="k")
    assert again.outcome is Outcome.ENQUEUED
    assert again.job_id != lease.job_id


def test_a_retry_keeps_the_key(db: Database) -> None:
    lease = db.started(idempotency_key="k")
    assert db.fail("w1", lease, FailureReason.TRANSIENT) is Outcome.RETRY
    again = db.queue.enqueue("q", "t", idempotency_key="k")
    assert (again.outcome, again.job_id) == (Outcome.DUPLICATE, lease.job_id)


def test_an_empty_key_is_no_key(db: Database) -> None:
    answers = db.enqueue_rows(*({"queue": "q", "type": "t", "idempotencyKey": ""} for _ in range(2)))
    assert {answer.outcome for answer in answers} == {Outcome.ENQUEUED}
    assert db.job(answers[0].job_id).idempotency_key is None


def test_a_known_id_goes_before_an_active_key(db: Database) -> None:
    first = db.queue.enqueue("q", "t", idempotency_key="k", job_id="id-1")
    again = db.queue.enqueue("q", "t", idempotency_key="k", job_id="id-1")
    assert (first.outcome, again.outcome) == (Outcome.ENQUEUED, Outcome.EXISTS)


# Times


def test_a_delay_counts_from_the_database_clock(db: Database) -> None:
    job = db.job(db.queue.enqueue("q", "t", delay=3600).job_id)
    assert job.scheduled_at - job.created_at == timedelta(hours=1)
    assert db.claim() == []


def test_the_longest_delay(db: Database) -> None:
    job = db.job(db.queue.enqueue("q", "t", delay=2147483647).job_id)
    assert job.scheduled_at - job.created_at == timedelta(seconds=2147483647)


@pytest.mark.parametrize(
    "moment", ["2001-02-03T04:05:06", "2001-02-03T04:05:06.5Z", "2001-02-03T04:05:06.123456"]
)
def test_a_moment_in_the_past_is_due_at_once(db: Database, moment: str) -> None:
    (answer,) = db.enqueue_rows({"queue": "q", "type": "t", "scheduledAtUtc": moment})
    assert db.job(answer.job_id).scheduled_at.isoformat().startswith(moment.rstrip("Z"))
    assert [job.job_id for job in db.claim()] == [answer.job_id]


def test_an_aware_moment_is_stored_as_utc(db: Database) -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    job = db.job(db.queue.enqueue("q", "t", scheduled_at=datetime(2030, 1, 1, 5, 30, tzinfo=east)).job_id)
    assert job.scheduled_at == datetime(2030, 1, 1, tzinfo=timezone.utc)


# The caller's transaction (outbox)


def test_a_job_of_a_transaction_that_commits_is_there(db: Database) -> None:
    connection = db.connect()
    try:
        done = db.queue.enqueue("q", "t", connection=connection)
        connection.commit()
    finally:
        connection.close()
    assert db.job(done.job_id).pillar is Pillar.HOT


def test_a_job_of_a_transaction_that_rolls_back_is_not(db: Database) -> None:
    connection = db.connect()
    try:
        done = db.queue.enqueue("q", "t", idempotency_key="k", connection=connection)
        assert done.outcome is Outcome.ENQUEUED
        connection.rollback()
    finally:
        connection.close()
    assert db.queue.get_job(done.job_id) is None
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Queues];") == 0
    assert db.queue.enqueue("q", "t", idempotency_key="k").outcome is Outcome.ENQUEUED


# EnqueueJob, for T-SQL callers


def test_enqueue_job_answers_in_output_parameters_and_in_a_row(db: Database) -> None:
    rows = db.sql(
        """
        DECLARE @Id NVARCHAR(4000);
        DECLARE @Outcome VARCHAR(20);
        EXECUTE [chokaq].[EnqueueJob] @Queue = N'q', @Type = N't', @Payload = N'p', @IdempotencyKey = N'k',
            @Priority = 99, @DelaySeconds = 60, @MaxAttempts = 7, @Tags = N'a,b', @CreatedBy = N'me',
            @JobId = @Id OUTPUT, @Outcome = @Outcome OUTPUT;
        SELECT @Id AS [Id], @Outcome AS [Outcome];
        """
    )
    assert rows[0]["Outcome"] == "enqueued"
    job = db.job(rows[0]["Id"])
    assert (job.queue, job.type, job.payload, job.idempotency_key) == ("q", "t", "p", "k")
    assert (job.priority, job.max_attempts, job.tags, job.created_by) == (99, 7, "a,b", "me")
    assert job.scheduled_at - job.created_at == timedelta(seconds=60)
    answer = db.execute("EnqueueJob", Queue="q", Type="t", IdempotencyKey="K")
    assert [tuple(row.values()) for row in answer] == [(0, job.job_id, "duplicate")]
    answer = db.execute("EnqueueJob", Queue="q", Type="t", JobId=job.job_id)
    assert [tuple(row.values()) for row in answer] == [(0, job.job_id, "exists")]


def test_enqueue_job_keeps_text_as_it_is(db: Database) -> None:
    payload = 'quote " back \\ slash / tab \t line \r\n and {"json": [1, "2"]}'
    (answer,) = db.execute("EnqueueJob", Queue="q", Type="t", Payload=payload)
    assert db.job(answer["JobId"]).payload == payload


def test_enqueue_job_takes_a_moment(db: Database) -> None:
    (answer,) = db.execute("EnqueueJob", Queue="q", Type="t", ScheduledAtUtc="2030-01-02T03:04:05.5")
    assert db.job(answer["JobId"]).scheduled_at == datetime(2030, 1, 2, 3, 4, 5, 500000, timezone.utc)
