"""Follows the requests for a summary, and records the outcome of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import sleep
from typing import Any, Protocol

from msgspec.structs import asdict

from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """One request and its outcome."""

    how: str
    """In words: `Asked claude-x as a fork`."""
    model: str
    path: str
    """fork or direct."""
    problem: str = ""
    """Why it gave no summary; empty if it did."""
    usage: Usage = field(default_factory=Usage)
    """What it was billed, also where it failed."""
    cost: float | None = None
    """In dollars; None if the price is unknown."""
    tools: Mapping[str, int] = field(default_factory=dict)
    """Those that were called, though none may be."""

    @property
    def report(self) -> dict[str, Any]:
        return {
            "how": self.how,
            "model": self.model,
            "path": self.path,
            "problem": self.problem,
            "usage": asdict(self.usage),
            "cost_usd": self.cost,
            "tools": dict(self.tools),
        }


class Watcher(Protocol):
    """Is told about events as they happen."""

    def phase(self, name: str, /, *, total: int | None = None, unit: str = "") -> None:
        """Names the current phase; with a total, `step` is the number of the current part."""

    def step(self, number: int, /) -> None: ...

    def wait(self, seconds: float, /) -> None:
        """Something else must end first. Raises when the work must stop."""

    def begin_request(self, how: str, /) -> None:
        """A request is sent."""

    def receive_text(self, text: str, /) -> None:
        """The whole answer as far as it has arrived."""

    def end_request(self, request: RequestOutcome, text: str, /) -> None: ...

    def note(self, text: str, /) -> None:
        """Something else has happened, for example a hook has run."""


class SilentWatcher:
    def phase(self, name: str, /, *, total: int | None = None, unit: str = "") -> None:
        pass

    def step(self, number: int, /) -> None:
        pass

    def wait(self, seconds: float, /) -> None:
        sleep(seconds)

    def begin_request(self, how: str, /) -> None:
        pass

    def receive_text(self, text: str, /) -> None:
        pass

    def end_request(self, request: RequestOutcome, text: str, /) -> None:
        pass

    def note(self, text: str, /) -> None:
        pass
