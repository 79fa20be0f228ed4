"""Retries of failed attempts. What cannot succeed is never repeated."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from inspector.agents.errors import ModelError, RateLimitedError
from inspector.agents.model import Ask, AttemptStarted, Reply, RetryScheduled


@dataclass(frozen=True, slots=True)
class Retries:
    """Pauses double from `first` to `longest`; each is shortened at random, so that not all clients retry at once."""

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0
    patience: float = 300.0
    """If the API asks for a longer pause, there is no retry."""
    chance: Callable[[], float] = random.random

    def pause(self, attempt: int, error: ModelError) -> float | None:
        """Seconds until the next attempt; None: no further attempt."""
        if not error.retryable or attempt >= self.attempts:
            return None
        if isinstance(error, RateLimitedError) and error.retry_after is not None:
            # Never earlier than the API asks.
            wait = error.retry_after * (1 + 0.1 * self.chance())
            return None if error.retry_after > self.patience else wait
        return float(min(self.longest, self.first * 2 ** (attempt - 1)) * (0.5 + 0.5 * self.chance()))


def with_retries(ask: Ask, retries: Retries, attempt_once: Callable[[int], Reply]) -> Reply:
    """Calls `attempt` with its number until one succeeds or another would be pointless."""
    attempt = 1
    while True:
        ask.cancel.check()
        ask.report(AttemptStarted(attempt))
        try:
            return attempt_once(attempt)
        except ModelError as error:
            wait = retries.pause(attempt, error)
            if wait is None:
                raise
            ask.report(RetryScheduled(attempt, wait, error))
            ask.cancel.sleep(wait)
        attempt += 1
