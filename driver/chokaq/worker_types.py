"""How jobs of one type run in a worker: how many at a time, how long, and when to stop trying."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .models import FailureReason
from .worker_breaker import Admission, BreakerOptions, CircuitBreaker

__all__ = ["JobTypes", "TypeOptions"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeOptions:
    """``concurrency``: of the worker's slots, jobs of one type take at most so many; None = all. ``timeout``:
    seconds after which an execution is reported as Timeout; None = never. ``breaker``: see BreakerOptions;
    None = none.
    """

    concurrency: int | None = None
    timeout: float | None = None
    breaker: BreakerOptions | None = None

    def __post_init__(self) -> None:
        if self.concurrency is not None and self.concurrency < 1:
            raise ValueError("concurrency of a type is at least 1")
        if self.timeout is not None and self.timeout <= 0:
            raise ValueError("timeout of a type is greater than 0")


class JobTypes:
    """The options of all types, the slots that each takes, its circuit breaker. ``take``, ``give`` and
    ``is_full`` are called under the worker's lock.
    """

    def __init__(self, options: Mapping[str, TypeOptions], default: TypeOptions) -> None:
        # Types are compared as the database compares them; a worker must not miss a limit by a letter's case.
        self._options = {_key(name): each for name, each in options.items()}
        self._default = default
        self._taken: dict[str, int] = {}
        self._breakers: dict[str, CircuitBreaker] = {}
        every = [default, *options.values()]
        self.has_limits = any(each.concurrency is not None for each in every)
        self.has_timeouts = any(each.timeout is not None for each in every)

    def options(self, job_type: str) -> TypeOptions:
        return self._options.get(_key(job_type), self._default)

    def is_full(self, job_type: str) -> bool:
        limit = self.options(job_type).concurrency
        return limit is not None and self._taken.get(_key(job_type), 0) >= limit

    def take(self, job_type: str) -> bool:
        """Takes a place for a job; False: none is free."""
        if self.is_full(job_type):
            return False
        key = _key(job_type)
        self._taken[key] = self._taken.get(key, 0) + 1
        return True

    def give(self, job_type: str) -> None:
        """Gives the place back."""
        key = _key(job_type)
        self._taken[key] -= 1
        if not self._taken[key]:
            del self._taken[key]

    def admit(self, job_type: str) -> Admission:
        """Asks the type's circuit breaker."""
        breaker = self._breaker(job_type)
        return Admission() if breaker is None else breaker.admit()

    def record(self, job_type: str, reason: FailureReason | None, admission: Admission) -> str | None:
        """Tells the breaker how an execution that it admitted ended (None: success); an event's name, when
        its state changed.
        """
        breaker = self._breaker(job_type)
        return None if breaker is None else breaker.record(reason, admission)

    def _breaker(self, job_type: str) -> CircuitBreaker | None:
        options = self.options(job_type).breaker
        if options is None:
            return None
        # setdefault is atomic: two slots that come first at once get one breaker.
        return self._breakers.setdefault(_key(job_type), CircuitBreaker(options))


def _key(job_type: str) -> str:
    return job_type.rstrip(" ").casefold()
