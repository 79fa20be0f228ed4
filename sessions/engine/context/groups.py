"""What is left out of a context, gathered: by reason, by the record that is the cause, and in ranges of entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sessions.engine.context.leftout import LeftOut, Reason

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
    more: int = 0
    """Ranges that are not among these."""

    def head(self, most: int) -> Group:
        """The first so many ranges, whatever their causes."""
        kept, room = [], most
        for cause in self.causes:
            if room <= 0:
                break
            kept.append(replace(cause, ranges=cause.ranges[:room]))
            room -= len(cause.ranges)
        more = sum(len(cause.ranges) for cause in self.causes) - sum(len(cause.ranges) for cause in kept)
        return replace(self, causes=tuple(kept), more=more)

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
