"""Why work ends before it is done, and how a failed run explains itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import Error as DatabaseError

from inspector.web.disk_errors import disk_trouble, is_full
from sessions.archive.engine.damage import DamageError


# Not an Exception, so that work which catches exceptions to try again does not catch its own end.
class RunStopped(BaseException):
    """Raised in the work when it must not go on."""


class RunKilled(RunStopped):
    """The run was killed."""


class RunInterrupted(RunStopped):
    """The worker is being stopped."""


class RunLost(RunStopped):
    """The run is no longer ours: it was given up because we gave no sign of life."""


class RunError(Exception):
    """A failure in words: what happened and what to do next, the technical reason, and a partial result to show."""

    def __init__(self, sentence: str, reason: str = "", result: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.reason = reason
        self.result = result or {}


@dataclass(frozen=True, slots=True)
class Failure:
    sentence: str
    reason: str
    result: dict[str, Any] = field(default_factory=dict)


def describe_failure(error: Exception) -> Failure:
    if isinstance(error, RunError):
        return Failure(error.sentence, error.reason, error.result)
    first = next(iter(str(error).strip().splitlines()), "")
    reason = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return Failure(_sentence(error), reason[:500])


def _sentence(error: Exception) -> str:
    if is_full(error):
        return "The disk is full. Make room and retry."
    if isinstance(error, DamageError):
        return "Something that it needs is damaged in the archive. Check the archive, repair it and retry."
    if disk_trouble(error):
        return "The disk could not be read or written. See whether it is sound and retry."
    if isinstance(error, OSError):
        return "A file could not be read or written. See to it and retry."
    if isinstance(error, DatabaseError):
        return "The database could not be used. Retry; if it goes on, see whether something else holds it."
    return "It failed in a way that nobody foresaw. Retry; if it fails again, the log tells where."
