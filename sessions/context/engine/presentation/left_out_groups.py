"""What is left out of a context, by reason, by the record that caused it, and in ranges of entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason

WORDS = {
    LeftOutReason.SUMMARISED: ("▨", "Summarised away", "A summary stands in their place."),
    LeftOutReason.SNIPPED: ("✂", "Snipped", "Removed from the conversation."),
    LeftOutReason.CLEARED: ("☐", "Cleared", "The entry is there, the text of its result is not: that is in the entry."),
    LeftOutReason.PERSISTED: (
        "⛁",
        "On disk",
        "The entry is there, with a preview and the path of a file as its result.",
    ),
    LeftOutReason.COLLAPSED: ("≣", "Collapsed", "Folded into a summary of the span."),
    LeftOutReason.ABANDONED: (
        "⎇",
        "On another branch",
        "The session went back, and this request does not stand on them.",
    ),
    LeftOutReason.SIDECHAIN: ("⎇", "Of sub-agents", "Sub-agents have contexts of their own."),
    LeftOutReason.UNSENT: (
        "·",
        "Never sent",
        "For the client or the person only: state, progress, notices. And of answers what the client leaves out:"
        " thoughts of another model, calls that never had a result, texts without a word.",
    ),
}

_PARTIAL = frozenset({LeftOutReason.CLEARED, LeftOutReason.PERSISTED})


@dataclass(frozen=True, slots=True)
class EntryRange:
    """Entries from `first` to `last`, of which `count` belong here; those between are left out for other reasons."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class CauseGroup:
    by: int | None
    """The record that caused it, if there is one."""
    count: int
    ranges: tuple[EntryRange, ...]


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    reason: LeftOutReason
    count: int
    causes: tuple[CauseGroup, ...]
    before: int = 0
    """Ranges before these,"""
    more: int = 0
    """and after them."""

    def head(self, most: int, start: int = 0) -> ReasonGroup:
        """The group with at most `most` ranges, of whatever causes, from the range `start` on."""
        causes, range_count = [], 0
        for cause in self.causes:
            ranges = cause.ranges[max(0, start - range_count) : max(0, start + most - range_count)]
            if ranges:
                causes.append(replace(cause, ranges=ranges))
            range_count += len(cause.ranges)
        start = min(start, range_count)
        count = sum(len(cause.ranges) for cause in causes)
        return replace(self, causes=tuple(causes), before=start, more=range_count - start - count)

    @property
    def following(self) -> int:
        """The number of the first range after these."""
        return self.before + sum(len(cause.ranges) for cause in self.causes)

    @property
    def is_partial(self) -> bool:
        """Did the model see the entries, without the text of their results?"""
        return self.reason in _PARTIAL

    @property
    def symbol(self) -> str:
        return WORDS[self.reason][0]

    @property
    def title(self) -> str:
        return WORDS[self.reason][1]

    @property
    def explanation(self) -> str:
        return WORDS[self.reason][2]

    @property
    def name(self) -> str:
        """The name of its style."""
        return {LeftOutReason.SIDECHAIN: "sidechain", LeftOutReason.UNSENT: "unsent"}.get(
            self.reason, self.reason.value
        )


def group_by_reason(entries: Iterable[LeftOutEntry]) -> list[ReasonGroup]:
    """In the order of the reasons; causes and ranges newest first. `entries` come in file order."""
    open_ranges: dict[tuple[LeftOutReason, int | None], list[_OpenRange]] = {}
    absent = 0
    """How many entries were wholly left out so far."""
    for entry in entries:
        absent += entry.reason not in _PARTIAL
        ranges = open_ranges.setdefault((entry.reason, entry.by), [])
        before = ranges[-1] if ranges else None
        # The range goes on if the model saw nothing between.
        if before is not None and entry.position - before.last == max(1, absent - before.absent):
            ranges[-1] = _OpenRange(before.first, entry.position, before.count + 1, absent)
        else:
            ranges.append(_OpenRange(entry.position, entry.position, 1, absent))
    groups: dict[LeftOutReason, list[CauseGroup]] = {}
    for (reason, by), opened in open_ranges.items():
        closed = tuple(EntryRange(each.first, each.last, each.count) for each in reversed(opened))
        groups.setdefault(reason, []).append(CauseGroup(by, sum(each.count for each in closed), closed))
    return [
        ReasonGroup(reason, sum(cause.count for cause in causes), tuple(reversed(causes)))
        for reason in LeftOutReason
        if (causes := groups.get(reason))
    ]


@dataclass(frozen=True, slots=True)
class _OpenRange:
    first: int
    last: int
    count: int
    absent: int
