"""Why a compaction made here differs from the client's, where no record could tell what the client did."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.compaction.yardstick.boundaries import RecordedBoundary
from tests.compaction.yardstick.parts import Words

GIT_STATUS = "the state of git at that moment stands in no record"
OTHER_ORDER = "files in another order: the client goes by their times, which no record holds"
_CONTEXT = "As you answer the user's questions"

Explain = Callable[[RecordedBoundary, Sequence[Words], Sequence[Words]], bool]


def _is_git_status(boundary: RecordedBoundary, sent: Sequence[Words], ours: Sequence[Words]) -> bool:
    """Only the text that holds it is another."""
    return len(sent) == len(ours) and all(
        theirs.hashes & mine.hashes or (theirs.label.startswith(_CONTEXT) and mine.label.startswith(_CONTEXT))
        for theirs, mine in zip(sent, ours, strict=True)
    )


def _is_other_order(boundary: RecordedBoundary, sent: Sequence[Words], ours: Sequence[Words]) -> bool:
    return len(sent) == len(ours) and all(any(theirs.hashes & mine.hashes for mine in ours) for theirs in sent)


_CAUSES: dict[str, tuple[tuple[str, Explain], ...]] = {
    "files": ((OTHER_ORDER, _is_other_order),),
    "opening": ((GIT_STATUS, _is_git_status),),
}


def cause_of(part: str, boundary: RecordedBoundary, sent: Sequence[Words], ours: Sequence[Words]) -> str:
    """Empty if none fits."""
    return next((cause for cause, fits in _CAUSES.get(part, ()) if fits(boundary, sent, ours)), "")
