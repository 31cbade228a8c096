"""Transactions, savepoints, implicit transactions, table variables, application locks, busy databases,
processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import chokaq
from chokaq import embedded
from tests.unit.embedded.core_support import Engine, number_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "d.db"
    engine = Engine(embedded.connect(file, autocommit=True))
    engine("CREATE TABLE [dbo].[T] ([Id] int NOT NULL PRIMARY KEY);")
    engine.connection.close()
    return file


def opened(path: Path, **options: object) -> Engine:
    return Engine(embedded.connect(path, **{"autocommit": True, **options}))  # type: ignore[arg-type]


def ids(engine: Engine) -> list[int]:
    return [row[0] for row in engine("SELECT [Id] FROM [dbo].[T] ORDER BY [Id];")]


def test_nesting_counts(path: Path) -> None:
    db = opened(path)
    assert db.sets(
        "BEGIN TRAN; SELECT @@TRANCOUNT AS [n]; BEGIN TRAN; SELECT @@TRANCOUNT AS [n]; COMMIT; SELECT "
        "@@TRANCOUNT AS [n], "
        "XACT_STATE() AS [x]; ROLLBACK; SELECT @@TRANCOUNT AS [n], XACT_STATE() AS [x];"
    ) == [[(1,)], [(2,)], [(1, 1)], [(0, 0)]]
    assert db.error("COMMIT;") == 3902
    assert db.error("ROLLBACK;") == 3903
    assert db.error("SAVE TRANSACTION [a];") == 628


def test_rollback_takes_everything_back(path: Path) -> None:
    db = opened(path)
    db(
        "BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (1); BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) "
        "VALUES (2); COMMIT; ROLLBACK;"
    )
    assert ids(db) == []


def test_savepoints(path: Path) -> None:
    db = opened(path)
    db(
        "BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (1); SAVE TRAN [s]; INSERT INTO [dbo].[T] "
        "([Id]) VALUES (2); SAVE TRANSACTION [s]; "
        "INSERT INTO [dbo].[T] ([Id]) VALUES (3); ROLLBACK TRAN [s]; INSERT INTO [dbo].[T] ([Id]) VALUES "
        "(4); COMMIT;"
    )
    assert ids(db) == [1, 2, 4]
    assert db.error("BEGIN TRAN; ROLLBACK TRAN [nope];") == 6401
    db("ROLLBACK;")


def test_table_variables_survive_a_rollback(path: Path) -> None:
    db = opened(path)
    batch = """
DECLARE @t TABLE ([Id] int NOT NULL PRIMARY KEY, [S] varchar(9) NULL);
INSERT INTO @t ([Id], [S]) VALUES (1, 'before');
BEGIN TRAN;
INSERT INTO [dbo].[T] ([Id]) VALUES (1);
INSERT INTO @t ([Id], [S]) VALUES (2, 'inside');
SAVE TRAN [p];
DELETE FROM @t WHERE [Id] = 1;
ROLLBACK TRAN [p];
SELECT [Id], [S] FROM @t;
ROLLBACK;
SELECT [Id], [S] FROM @t WHERE [S] = 'INSIDE';
SELECT [Id] FROM [dbo].[T];
"""
    assert db.sets(batch) == [[(2, "inside")], [(2, "inside")], []]
    assert db.sets(batch) == [[(2, "inside")], [(2, "inside")], []]


def test_implicit_transactions(path: Path) -> None:
    db = opened(path, autocommit=False)
    other = opened(path)
    assert db.connection.autocommit is False
    db(
        "CREATE PROCEDURE [dbo].[P] AS BEGIN SELECT @@TRANCOUNT AS [n]; INSERT INTO [dbo].[T] ([Id]) "
        "VALUES (7); SELECT @@TRANCOUNT AS [n]; END;"
    )
    db.connection.commit()
    assert db.sets("{CALL [dbo].[P]}") == [[(0,)], [(1,)]]
    assert ids(other) == []
    db.connection.rollback()
    assert ids(other) == []
    db.sets("{CALL [dbo].[P]}")
    db.connection.commit()
    assert ids(other) == [7]
    assert db.sets("BEGIN TRAN; SELECT @@TRANCOUNT AS [n]; ROLLBACK;") == [[(2,)]]
    # Reading alone keeps nobody from writing.
    ids(db)
    other("INSERT INTO [dbo].[T] ([Id]) VALUES (8);")
    assert ids(db) == [7, 8]
    db.connection.autocommit = True
    db("INSERT INTO [dbo].[T] ([Id]) VALUES (9);")
    assert ids(other) == [7, 8, 9]


def test_with_commits_and_rolls_back(path: Path) -> None:
    with embedded.connect(path) as connection:
        connection.execute("INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    try:
        with connection:
            connection.execute("INSERT INTO [dbo].[T] ([Id]) VALUES (2);")
            raise KeyError
    except KeyError:
        pass
    connection.close()
    assert ids(opened(path)) == [1]


def test_a_closed_connection_rolls_back(path: Path) -> None:
    db = opened(path)
    db("BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    db.connection.close()
    assert ids(opened(path)) == []
    with pytest.raises(embedded.ProgrammingError):
        db.connection.cursor()


def test_writers_wait_and_give_up(path: Path) -> None:
    one, two = opened(path), opened(path, timeout=0.2)
    one("BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    started = time.monotonic()
    failure = two.failure("INSERT INTO [dbo].[T] ([Id]) VALUES (2);")
    assert number_of(failure) == 1222
    assert 0.1 < time.monotonic() - started < 5
    assert two.error("SET LOCK_TIMEOUT 0; BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (2);") == 1222
    assert two.one("SELECT @@TRANCOUNT AS [n];") == 0
    assert ids(two) == []
    threading.Timer(0.3, lambda: one("COMMIT;")).start()
    two("SET LOCK_TIMEOUT 5000; INSERT INTO [dbo].[T] ([Id]) VALUES (2);")
    assert ids(two) == [1, 2]


def test_mismatched_transaction_counts(path: Path) -> None:
    db = opened(path)
    db("CREATE PROCEDURE [dbo].[Leaves] AS BEGIN TRANSACTION;")
    db("CREATE PROCEDURE [dbo].[Takes] AS ROLLBACK TRANSACTION;")
    assert db.error("EXEC [dbo].[Leaves];") == 266
    assert db.one("SELECT @@TRANCOUNT AS [n];") == 1
    assert db.error("EXEC [dbo].[Takes];") == 266
    assert db.one("SELECT @@TRANCOUNT AS [n];") == 0


def test_definitions_roll_back(path: Path) -> None:
    db, other = opened(path), opened(path)
    db("BEGIN TRAN;")
    db("CREATE TABLE [dbo].[U] ([A] int NOT NULL);")
    db("CREATE PROCEDURE [dbo].[P] AS SELECT [A] FROM [dbo].[U];")
    assert db("EXEC [dbo].[P];") == []
    assert other.error("SELECT [A] FROM [dbo].[U];") == 208
    db("ROLLBACK;")
    assert db.error("EXEC [dbo].[P];") == 2812
    assert db.error("SELECT [A] FROM [dbo].[U];") == 208
    db("BEGIN TRAN; CREATE TABLE [dbo].[V] ([A] int NOT NULL); COMMIT;")
    assert other("SELECT [A] FROM [dbo].[V];") == []


def test_other_connections_see_definitions(path: Path) -> None:
    one, two = opened(path), opened(path)
    one("CREATE PROCEDURE [dbo].[P] AS SELECT 1 AS [a];")
    assert two("EXEC [dbo].[P];") == [(1,)]
    one("ALTER PROCEDURE [dbo].[P] AS SELECT 2 AS [a];")
    assert two("EXEC [dbo].[P];") == [(2,)]
    one("DROP PROCEDURE [dbo].[P];")
    assert two.error("EXEC [dbo].[P];") == 2812


def test_the_file_keeps_everything(path: Path) -> None:
    db = opened(path)
    db("CREATE PROCEDURE [dbo].[P] @A int AS INSERT INTO [dbo].[T] ([Id]) VALUES (@A);")
    db("EXEC [dbo].[P] 5;")
    db.connection.close()
    code = f"""
        import sys
        from chokaq import embedded
        c = embedded.connect({str(path)!r}, autocommit=True)
        c.execute("EXEC [dbo].[P] @A = ?;", 6)
        assert "sqlglot" not in sys.modules, "compiled procedures are kept in the file"
    """
    run(code)
    assert ids(opened(path)) == [5, 6]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(chokaq.__file__).parents[1])}


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, env=ENVIRONMENT, timeout=60)


def started(code: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


GET = (
    "DECLARE @r int; EXEC @r = sp_getapplock @Resource = N'res', @LockMode = N'{mode}', "
    "@LockOwner = N'{owner}', @LockTimeout = {timeout}; SELECT @r AS [r];"
)


def test_application_locks_between_sessions(path: Path) -> None:
    one, two = opened(path), opened(path)
    exclusive = GET.format(mode="Exclusive", owner="Session", timeout=0)
    assert one.one(exclusive) == 0
    assert one.one(exclusive) == 0
    assert two.one(exclusive) == -1
    assert two.one("SELECT APPLOCK_TEST(N'public', N'res', N'Shared', N'Session') AS [t];") == 0
    assert one.one("SELECT APPLOCK_MODE(N'public', N'res', N'Session') AS [m];") == "Exclusive"
    release = "EXEC sp_releaseapplock @Resource = N'res', @LockOwner = N'Session';"
    one(release)
    assert two.one(exclusive) == -1
    one(release)
    assert one.error(release) == 1223
    assert two.one(exclusive) == 0
    threading.Timer(0.2, two.connection.close).start()
    assert one.one(GET.format(mode="Exclusive", owner="Session", timeout=5000)) == 1
    shared = GET.format(mode="Shared", owner="Session", timeout=0)
    one(release)
    assert one.one(shared) == 0
    assert opened(path).one(shared) == 0


def test_application_locks_of_a_transaction(path: Path) -> None:
    one, two = opened(path), opened(path)
    get = GET.format(mode="Exclusive", owner="Transaction", timeout=0)
    assert one.one(get) == -999
    assert one.one(f"BEGIN TRAN; {get}") == 0
    assert two.one(GET.format(mode="Exclusive", owner="Session", timeout=0)) == -1
    one("ROLLBACK;")
    assert two.one(GET.format(mode="Exclusive", owner="Session", timeout=0)) == 0


def test_application_locks_between_processes_end_with_them(path: Path) -> None:
    process = started(
        f"""
        import time
        from chokaq import embedded
        c = embedded.connect({str(path)!r}, autocommit=True)
        c.execute({GET.format(mode="Exclusive", owner="Session", timeout=0)!r})
        print("ready", flush=True)
        time.sleep(60)
    """
    )
    try:
        db = opened(path)
        assert db.one(GET.format(mode="Shared", owner="Session", timeout=0)) == -1
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert db.one(GET.format(mode="Exclusive", owner="Session", timeout=5000)) >= 0
    finally:
        finish(process)


def test_a_killed_process_leaves_what_it_committed(path: Path) -> None:
    process = started(
        f"""
        import time
        from chokaq import embedded
        c = embedded.connect({str(path)!r}, autocommit=True)
        c.execute("INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
        c.execute("BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (2);")
        print("ready", flush=True)
        time.sleep(60)
    """
    )
    process.send_signal(signal.SIGKILL)
    finish(process)
    db = opened(path)
    assert ids(db) == [1]
    db("INSERT INTO [dbo].[T] ([Id]) VALUES (3);")


def test_processes_write_side_by_side(path: Path) -> None:
    code = f"""
        import sys
        from chokaq import embedded
        c = embedded.connect({str(path)!r}, autocommit=True, synchronous="OFF")
        for number in range(50):
            c.execute("INSERT INTO [dbo].[T] ([Id]) VALUES (?);", int(sys.argv[1]) * 1000 + number)
    """
    processes = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(number)], env=ENVIRONMENT)
        for number in range(3)
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(ids(opened(path))) == 150


def test_threads_write_side_by_side(path: Path) -> None:
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            db = opened(path)
            for number in range(30):
                db("BEGIN TRAN; INSERT INTO [dbo].[T] ([Id]) VALUES (?); COMMIT;", start + number)
            db.connection.close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(start * 100,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ids(opened(path))) == 120


def test_databases_in_memory() -> None:
    one, other = (
        Engine(embedded.connect(":memory:x", autocommit=True)),
        Engine(embedded.connect(":memory:x", autocommit=True)),
    )
    alone = Engine()
    one("CREATE TABLE [dbo].[T] ([Id] int NOT NULL);")
    assert ids(other) == []
    assert alone.error("SELECT [Id] FROM [dbo].[T];") == 208
