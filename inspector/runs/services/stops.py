"""Why work ends before it is done, and what a run that fails tells the person who looks at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import Error as DatabaseError

from inspector.web.room import disk_trouble, is_full
from sessions.archive.engine.damage import DamageError


# No Exceptions, so that work which catches those to try again does not catch its own end.
class Stopped(BaseException):
    """Raised inside the work when it must not go on."""


class Killed(Stopped):
    """Somebody pressed Kill."""


class Interrupted(Stopped):
    """The worker is being stopped."""


class Lost(Stopped):
    """The run is no longer ours: it was given up while we were silent."""


class RunError(Exception):
    """A failure in words: what happened and what to do next, the reason as the program gave it, and what is to be shown
    of the work all the same, as of a result."""

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


def failure_of(error: Exception) -> Failure:
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
