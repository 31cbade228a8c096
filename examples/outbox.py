"""Outbox without an outbox table: an order and its job are written in one transaction, or neither is.

    python examples/outbox.py [URL]        # default: a database file of the embedded engine, in a new folder

Shows both ways to enqueue in the application's own transaction: the driver with ``connection=``, and T-SQL.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import chokaq
from chokaq.connection import Connector
from chokaq.deploy import deploy

TABLE = """
CREATE TABLE [shop].[Orders] (
    [Id] INT NOT NULL CONSTRAINT [PK_Orders] PRIMARY KEY,
    [Customer] VARCHAR(100) NOT NULL,
    [Total] FLOAT NOT NULL CONSTRAINT [CK_Orders_Total] CHECK ([Total] > 0)
);
"""
INSERT = "INSERT INTO [shop].[Orders] ([Id], [Customer], [Total]) VALUES (?, ?, ?);"
ENQUEUE = """
EXECUTE [chokaq].[EnqueueJob] @Queue = 'mail', @Type = 'confirmation', @Payload = ?, @IdempotencyKey = ?;
"""


def make_table(connection: Any) -> None:
    """The application's own table, beside chokaq's in the same database."""
    cursor = connection.cursor()
    if cursor.execute("SELECT SCHEMA_ID(N'shop');").fetchone()[0] is None:
        cursor.execute("CREATE SCHEMA [shop];")
        cursor.execute(TABLE)
    connection.commit()
    cursor.close()


def place_order(queue: chokaq.JobQueue, connection: Any, number: int, customer: str, total: float) -> bool:
    """With the driver. The enqueue joins the transaction of the connection, and commits nothing itself."""
    cursor = connection.cursor()
    try:
        queue.enqueue(
            "mail",
            "confirmation",
            {"order": number, "to": customer},
            idempotency_key=f"order-{number}",
            connection=connection,
        )
        cursor.execute(INSERT, (number, customer, total))
    except Exception as error:  # a CHECK of the table, a lost connection …: then there must be no job
        connection.rollback()
        print(f"order {number} failed ({type(error).__name__}): neither order nor job")
        return False
    finally:
        cursor.close()
    connection.commit()
    print(f"order {number} and its job are there")
    return True


def place_order_in_sql(connection: Any, number: int, customer: str, total: float) -> None:
    """In T-SQL, as a stored procedure of the application would do it."""
    cursor = connection.cursor()
    cursor.execute(INSERT, (number, customer, total))
    cursor.execute(ENQUEUE, (f'{{"order": {number}, "to": "{customer}"}}', f"order-{number}"))
    cursor.close()
    connection.commit()
    print(f"order {number} and its job are there, by T-SQL")


def main(url: str) -> list[int]:
    """Three orders, one of them impossible; then a worker. The orders that were confirmed."""
    deploy(url)
    confirmed: list[int] = []

    def confirm(job: chokaq.JobContext) -> None:
        confirmed.append(job.json()["order"])
        print(f"confirmation of order {confirmed[-1]} to {job.json()['to']}")

    connection = Connector(url).open()
    connection.autocommit = False
    with chokaq.connect(url) as queue:
        make_table(connection)
        place_order(queue, connection, 1, "ann@example.org", 99.5)
        place_order(queue, connection, 2, "ben@example.org", -1.0)
        place_order_in_sql(connection, 3, "cat@example.org", 12.0)
        connection.close()
        chokaq.Worker(queue, {"confirmation": confirm}, concurrency=1).run(burst=True)
    return confirmed


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(f"embedded://{Path(folder).as_posix()}/shop.db")
