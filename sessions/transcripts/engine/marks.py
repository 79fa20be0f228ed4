"""What became of ranges of a transcript: marks, stored apart from the entries so that those are never rewritten."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    SUMMARISED = "summarised"
    """Replaced by the summary of the boundary at `by`."""
    KEPT = "kept"
    """Stood before the boundary at `by` and was kept word for word."""
    SNIPPED = "snipped"
    CLEARED = "cleared"
    """A tool result that the model no longer sees; the text is still in the transcript."""
    PERSISTED = "persisted"
    COLLAPSED = "collapsed"
    ABANDONED = "abandoned"
    """On a branch that the session went back from."""
    SIDECHAIN = "sidechain"
    """A sub-agent that was written into the main file."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The entries `first` to `last` (positions, inclusive) had this fate, because of the record at `by`."""

    first: int
    last: int
    fate: Fate
    by: int | None = None
