"""The kinds of runs: what each is called, and the function that does it. They are registered by the app's config, so
that apps below can bring work without knowing of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from inspector.runs.models import Run
    from inspector.runs.services.running import Running

Result = dict[str, Any]
"""What a run found or made. `summary` is a sentence for lists; `alarm` one about something bad that it found, and what
to do; `links` are pairs of a title and an address; `listed` is left to a page of its own; names that end in `_bytes`,
`_seconds`, `_tokens` or `_usd` are shown as such."""
Work = Callable[["Running", "Run"], Result]

KILLED = "What it had begun was put away; nothing is half-written."
LOST = "Its worker ended while it ran, so it was cut off. Retry starts it anew."


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    title: str
    work: Work | str
    """The function, or where it is: then it is imported when it is first needed."""
    about: str = ""
    """With it, the page of all runs has a button that starts one."""
    verb: str = ""
    """What that button says."""
    single: bool = False
    """One at a time: to start a second is to look at the first."""
    keep: int | None = None
    """So many of them are remembered; None for all."""
    when_lost: str = LOST
    """What is said when its worker died."""
    when_killed: str = KILLED
    confirm: str = ""
    """Where the function is that says at which address a run of this kind is started again, so that its price is shown
    first: it takes the run, and gives None where that is not needed. Without it, Retry starts it at once."""

    def function(self) -> Work:
        if not isinstance(self.work, str):
            return self.work
        work: Work = import_string(self.work)
        return work

    def confirmation(self, run: Run) -> str | None:
        if not self.confirm:
            return None
        address: str | None = import_string(self.confirm)(run)
        return address


_kinds: dict[str, Kind] = {}


def kind_register(kind: Kind) -> None:
    _kinds[kind.name] = kind


def kind_named(name: str) -> Kind | None:
    return _kinds.get(name)


def all_kinds() -> list[Kind]:
    return sorted(_kinds.values(), key=lambda kind: kind.title)
