"""The result of a compaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.report import Report
from compaction.mechanisms.engine.tool_result_limit.limit import PersistedResult
from sessions.transcripts.engine.messages import Message


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """A conversation before and after. If the compaction declined, both are the same, and `why` gives the reason."""

    before: Sequence[Message]
    after: Sequence[Message]
    tokens_before: int
    tokens_after: int
    """Of the messages only, by the client's own estimate, as the model sees them. Results deleted from its cache do not
    count, although `after` still has their text."""
    reports: tuple[Report, ...]
    """In the order in which the mechanisms ran; at least one."""
    done: bool
    """Something has changed."""
    failed: bool = False
    """A summary was asked for, and there is none."""
    why: str = ""
    mechanical: bool = False
    """The summary was written without a model."""
    compaction: Compaction | None = None
    summary: str = ""
    records: tuple[Mapping[str, Any], ...] = ()
    """Lines that would record it in a transcript, without their envelope."""
    persisted: tuple[PersistedResult, ...] = ()
    cache_edits: tuple[Mapping[str, Any], ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the next request besides its messages, and the `betas` that they need."""
    failures: int = 0
    """Automatic compactions that have failed in a row, this one included."""

    @property
    def is_forecast(self) -> bool:
        """The API is asked to edit what it gets: `before` is sent, and `after` is what would come of it there."""
        return edits_by_api(self.beside)


def edits_by_api(beside: Mapping[str, Any]) -> bool:
    return not beside.keys().isdisjoint(("context_management", "compaction"))
