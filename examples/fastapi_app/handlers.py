"""The jobs of the application. Runs in the application's own worker, or in one of its own:

chokaq worker examples.fastapi_app.handlers:HANDLERS --queue mail
"""

from __future__ import annotations

import asyncio

import chokaq


async def send_welcome(job: chokaq.JobContext) -> None:
    """Sends a mail, as it were. Repeatable: the job's id would be the mail's idempotency key."""
    address = job.json()["to"]
    if "@" not in address:
        raise chokaq.Rejected(f"not an address: {address}", group="bad address")
    await asyncio.sleep(0.01)


HANDLERS = {"welcome": send_welcome}
