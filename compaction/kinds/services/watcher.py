"""Watches the requests for a summary while they are made, and keeps what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import sleep
from typing import Any, Protocol

from msgspec.structs import asdict

from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """One request, and what became of it."""

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
    """Is told what happens, as it happens."""

    def phase(self, name: str, /, *, total: int | None = None, unit: str = "") -> None:
        """What is done now; with a total, the n-th of them is `step`."""

    def step(self, number: int, /) -> None: ...

    def wait(self, seconds: float, /) -> None:
        """Something else has to end first. Raises when the work must stop."""

    def begin_request(self, how: str, /) -> None:
        """A request is sent."""

    def receive_text(self, text: str, /) -> None:
        """All that has arrived of its answer."""

    def end_request(self, request: RequestOutcome, text: str, /) -> None: ...

    def note(self, text: str, /) -> None:
        """Something else has happened: a hook has run."""


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
