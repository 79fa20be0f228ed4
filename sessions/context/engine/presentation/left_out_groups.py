"""What is left out of a context, gathered: by reason, by the record that is the cause, and in ranges of entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sessions.context.engine.left_out import LeftOut, Reason

WORDS = {
    Reason.SUMMARISED: ("▨", "Summarised away", "A summary stands in their place."),
    Reason.SNIPPED: ("✂", "Snipped", "Removed from the conversation."),
    Reason.CLEARED: (
        "☐",
        "Cleared",
        "The entry is there, the text of its result is not: that is in the entry.",
    ),
    Reason.PERSISTED: ("⛁", "On disk", "The entry is there, with a preview and the path of a file as its result."),
    Reason.COLLAPSED: ("≣", "Collapsed", "Folded into a summary of the span."),
    Reason.ABANDONED: ("⎇", "On another branch", "The session went back, and this request does not stand on them."),
    Reason.SIDECHAIN: ("⎇", "Of sub-agents", "Sub-agents have contexts of their own."),
    Reason.UNSENT: (
        "·",
        "Never sent",
        "For the client or the person only: state, progress, notices. And of answers what the client leaves out:"
        " thoughts of another model, calls that never had a result, texts without a word.",
    ),
}

_PARTLY = frozenset({Reason.CLEARED, Reason.PERSISTED})


@dataclass(frozen=True, slots=True)
class Range:
    """Entries from `first` to `last`, of which `count` are meant; what stands between is left out for other reasons."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class Because:
    by: int | None
    """The record that is the cause, if one is."""
    count: int
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Group:
    reason: Reason
    count: int
    causes: tuple[Because, ...]
    before: int = 0
    """Ranges that stand before these,"""
    more: int = 0
    """and behind them."""

    def head(self, most: int, start: int = 0) -> Group:
        """So many ranges, whatever their causes, from one of them on."""
        kept, at = [], 0
        for cause in self.causes:
            ranges = cause.ranges[max(0, start - at) : max(0, start + most - at)]
            if ranges:
                kept.append(replace(cause, ranges=ranges))
            at += len(cause.ranges)
        start = min(start, at)
        shown = sum(len(cause.ranges) for cause in kept)
        return replace(self, causes=tuple(kept), before=start, more=at - start - shown)

    @property
    def following(self) -> int:
        """The number of the first range behind these."""
        return self.before + sum(len(cause.ranges) for cause in self.causes)

    @property
    def partly(self) -> bool:
        """The model saw the entries, without the text of their results."""
        return self.reason in _PARTLY

    @property
    def symbol(self) -> str:
        return WORDS[self.reason][0]

    @property
    def title(self) -> str:
        return WORDS[self.reason][1]

    @property
    def why(self) -> str:
        return WORDS[self.reason][2]

    @property
    def name(self) -> str:
        """Of its style."""
        return {Reason.SIDECHAIN: "sidechain", Reason.UNSENT: "unsent"}.get(self.reason, self.reason.value)


def grouped(left: Iterable[LeftOut]) -> list[Group]:
    """In the order of the reasons; causes and ranges newest first. `left`: in file order."""
    known: dict[tuple[Reason, int | None], list[_Open]] = {}
    absent = 0
    """How many entries were wholly left out so far."""
    for one in left:
        absent += one.reason not in _PARTLY
        ranges = known.setdefault((one.reason, one.by), [])
        before = ranges[-1] if ranges else None
        # The range goes on if nothing that the model saw stands between.
        if before is not None and one.position - before.last == max(1, absent - before.absent):
            ranges[-1] = _Open(before.first, one.position, before.count + 1, absent)
        else:
            ranges.append(_Open(one.position, one.position, 1, absent))
    found: dict[Reason, list[Because]] = {}
    for (reason, by), opened in known.items():
        closed = tuple(Range(each.first, each.last, each.count) for each in reversed(opened))
        found.setdefault(reason, []).append(Because(by, sum(each.count for each in closed), closed))
    return [
        Group(reason, sum(cause.count for cause in causes), tuple(reversed(causes)))
        for reason in Reason
        if (causes := found.get(reason))
    ]


@dataclass(frozen=True, slots=True)
class _Open:
    first: int
    last: int
    count: int
    absent: int
