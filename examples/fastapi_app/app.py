"""A FastAPI application that enqueues, with a worker in a thread beside it.

    pip install chokaq fastapi uvicorn
    uvicorn examples.fastapi_app.app:app
    curl -X POST localhost:8000/welcome -H 'content-type: application/json' -d '{"to": "ann@example.org"}'

$CHOKAQ_URL says where the queue is; default: jobs.db here, with the embedded engine. With $CHOKAQ_WORKER=no
the application only enqueues, and ``chokaq worker examples.fastapi_app.handlers:HANDLERS`` works.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Request
from pydantic import BaseModel

import chokaq
from chokaq.deploy import deploy

from .handlers import HANDLERS

DEFAULT_URL = "embedded:///./jobs.db"


class Welcome(BaseModel):
    """Whom to welcome."""

    to: str


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Opens the queue for the application's life, and starts and stops the worker."""
    url = os.environ.get("CHOKAQ_URL", DEFAULT_URL)
    if url.startswith("embedded:"):
        deploy(url)  # a convenience for laptops; on a server deploying is a step of its own
    app.state.queue = chokaq.connect(url)
    worker = thread = None
    if os.environ.get("CHOKAQ_WORKER") != "no":
        # A thread cannot take signals; the server does, and ends this context.
        worker = chokaq.Worker(url, HANDLERS, queues=["mail"], poll_interval=0.2, handle_signals=False)
        thread = threading.Thread(target=worker.run, name="chokaq-worker")
        thread.start()
    try:
        yield
    finally:
        if worker is not None and thread is not None:
            worker.stop()
            thread.join()
        app.state.queue.close()


app = FastAPI(lifespan=lifespan)


# Plain functions: FastAPI runs them in threads, and each thread has its own connection of the queue.
@app.post("/welcome", status_code=202)
def welcome(
    body: Welcome, request: Request, idempotency_key: Annotated[str | None, Header()] = None
) -> dict[str, str]:
    """Enqueues a mail. A client that repeats the call with the same Idempotency-Key gets the same job."""
    done = request.app.state.queue.enqueue(
        "mail", "welcome", {"to": body.to}, idempotency_key=idempotency_key
    )
    return {"job": done.job_id, "outcome": done.outcome.value}


@app.get("/jobs/{job_id}")
def job(job_id: str, request: Request) -> dict[str, Any]:
    """Where a job is: hot (waits or runs), archive (succeeded), dlq (failed)."""
    found = request.app.state.queue.get_job(job_id)
    if found is None:
        raise HTTPException(status_code=404, detail="no such job")
    return {"job": found.job_id, "is_in": found.pillar.value, "attempts": found.attempt_count}
