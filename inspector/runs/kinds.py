"""The kinds of runs. The config of each app registers its own, so that the code of runs knows none of them by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from inspector.runs.models import Run
    from inspector.runs.services.active_run import ActiveRun

Result = dict[str, Any]
"""What a run found or made. `summary` is a sentence for lists; `alarm` says what bad thing it found, and what to do
about it; `links` are pairs of a title and an address; `listed` is shown on a page of its own; names that end in
`_bytes`, `_seconds`, `_tokens` or `_usd` are shown in that unit."""
Work = Callable[["ActiveRun", "Run"], Result]

WHEN_KILLED = "What it had begun was put away; nothing is half-written."
WHEN_LOST = "Its worker ended while it ran, so it was cut off. Retry starts it anew."


@dataclass(frozen=True, slots=True)
class RunKind:
    """All that pages, commands and the worker need to know about a kind of run. What a run works on (its target) is
    given when it is created; where its result can be seen, the result says (`links`)."""

    name: str
    title: str
    work: Work | str
    """The function that does the work, or its dotted path, which is imported when it is first needed."""
    description: str = ""
    """If there is one, the page of all runs offers to start a run of this kind."""
    button: str = ""
    """The label of that button."""
    single: bool = False
    """One at a time for each target: starting a second leads to the first."""
    keep: int | None = None
    """How many ended runs are kept; None for all."""
    own_card: bool = False
    """The home page shows it in a card of its own, so it is not in the list of runs there."""
    when_lost: str = WHEN_LOST
    """What a run says after its worker died."""
    when_killed: str = WHEN_KILLED
    confirm: str = ""
    """The dotted path of a function that takes an ended run and returns the address of the page on which starting it
    again is confirmed, with its price; None if it needs no confirmation. Without it, Retry starts it at once."""

    def load_work(self) -> Work:
        if not isinstance(self.work, str):
            return self.work
        work: Work = import_string(self.work)
        return work

    def confirmation_url(self, run: Run) -> str | None:
        if not self.confirm or run.finished_at is None:
            return None
        url: str | None = import_string(self.confirm)(run)
        return url


_kinds: dict[str, RunKind] = {}


def run_kind_register(kind: RunKind) -> None:
    _kinds[kind.name] = kind


def find_run_kind(name: str) -> RunKind | None:
    return _kinds.get(name)


def list_run_kinds() -> list[RunKind]:
    return sorted(_kinds.values(), key=lambda kind: kind.title)
