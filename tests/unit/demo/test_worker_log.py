"""The workers' logs: written by several threads, read while they are written and after a kill."""

from __future__ import annotations

import threading
from pathlib import Path

from chokaq.demo.worker_log import WorkerLog, parse_log, read_log


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    log = WorkerLog(path, "w1")
    log.write("start", job="a", lease=1)
    log.write("start", job="b", lease=1)
    log.write("end", job="a", lease=1, facts={"size": 3})
    log.write("end", job="b", lease=1, error="Fatal")
    log.write("start", job="a", lease=2)
    log.write("lost", job="a")
    log.write("event", name="call-failed", error="away")
    log.write("stopped", calls={"KeepAlive": (2, 0.5)}, cpuSeconds=1.5)
    record = read_log(path)
    assert record.worker_id == "w1"
    assert [(run.claim, run.error, run.facts, run.ended_at is None) for run in record.executions] == [
        (("a", 1), None, {"size": 3}, False),
        (("b", 1), "Fatal", {}, False),
        (("a", 2), None, {}, True),
    ]
    assert [run.claim for run in record.open] == [("a", 2)]
    assert all(run.worker_id == "w1" and run.started_at for run in record.executions)
    assert record.executions[0].started_at < record.executions[1].started_at
    assert (record.lost, record.events) == (1, [("call-failed", "away")])
    assert (record.calls, record.cpu_seconds) == ({"KeepAlive": (2, 0.5)}, 1.5)


def test_a_line_that_was_cut_off_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    WorkerLog(path, "w1").write("start", job="a", lease=1)
    with path.open("ab") as file:
        file.write(b'{"at": 5, "what": "en')
    assert len(read_log(path).open) == 1


def test_no_log_at_all(tmp_path: Path) -> None:
    assert read_log(tmp_path / "none").executions == []


def test_the_same_claim_twice_in_one_worker_shows_twice() -> None:
    lines = [
        f'{{"at": {at}, "what": "{what}", "job": "a", "lease": 1}}\n'
        for at, what in enumerate(["start", "start", "end", "end"])
    ]
    first, second = parse_log(lines).executions
    assert (first.started_at, first.ended_at) == (0, 2)
    assert (second.started_at, second.ended_at) == (1, 3)


def test_threads_do_not_mix_lines(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    log = WorkerLog(path, "w1")

    def work(name: str) -> None:
        for lease in range(200):
            log.write("start", job=name * 50, lease=lease)
            log.write("end", job=name * 50, lease=lease)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    record = read_log(path)
    assert len(record.executions) == 800
    assert record.open == []
