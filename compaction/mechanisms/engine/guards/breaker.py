"""The circuit breaker: a session whose compactions keep failing must not ask the model before every request."""

from __future__ import annotations

from dataclasses import dataclass

MOST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Breaker:
    failures: int = 0
    """In a row."""

    def is_open(self, most: int = MOST_FAILURES) -> bool:
        return self.failures >= most

    def after_failure(self) -> Breaker:
        return Breaker(self.failures + 1)

    def after_success(self) -> Breaker:
        return Breaker()
