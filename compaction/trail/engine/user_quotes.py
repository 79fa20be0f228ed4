"""What happened to each message of the user at a boundary, by the marks of the session."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from compaction.trail.engine.attribution.words import text_of
from compaction.trail.engine.summary_quotes import SummaryQuotes, searchable_words
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.messages import Message, MessageKind

ABANDONED_FATES = frozenset({Fate.ABANDONED, Fate.SIDECHAIN})
"""Branches that the session does not continue from."""

RESULT_FATES = frozenset({Fate.CLEARED, Fate.PERSISTED})
"""Fates of tool results, which say nothing about where a message is."""


class PromptState(StrEnum):
    KEPT = "kept"
    """It follows the boundary word for word."""
    SUMMARISED = "away"
    """It was summarised at the boundary or before."""


@dataclass(frozen=True, slots=True)
class QuoteCounts:
    """Counts of the user's messages up to a boundary."""

    total: int
    kept: int
    quoted: int | None
    """Quoted in the summary; None if that was not checked."""

    @property
    def gone(self) -> int | None:
        return None if self.quoted is None else self.total - self.kept - self.quoted

    def to_json(self) -> dict[str, int | None]:
        """The form that reports store."""
        return {"total": self.total, "kept": self.kept, "quoted": self.quoted, "gone": self.gone}

    @property
    def left(self) -> int | None:
        return None if self.quoted is None else self.kept + self.quoted


def count_quotes(before: Iterable[Message], after: Iterable[Message], summary: str) -> QuoteCounts:
    """How many of the user's messages in one context are left in another."""
    uuids_after = {message.uuid for message in after if message.content}
    prompts = [message for message in before if message.kind is MessageKind.PROMPT and message.content]
    summarised = [message for message in prompts if message.uuid not in uuids_after]
    quotes = SummaryQuotes(summary)
    quoted = sum(quotes.holds(searchable_words(text_of(message))) for message in summarised)
    return QuoteCounts(len(prompts), len(prompts) - len(summarised), quoted)


def prompt_states(boundary: int, positions: Iterable[int], marks: Iterable[Mark]) -> dict[int, PromptState]:
    """The state, right after the boundary, of the messages at these positions before it.

    A mark has only the last fate of a message. What a later boundary summarised or kept was kept by this one."""
    ranges = sorted(
        (mark for mark in marks if mark.fate not in (Fate.CLEARED, Fate.PERSISTED)), key=lambda mark: mark.first
    )
    starts = [mark.first for mark in ranges]
    states: dict[int, PromptState] = {}
    for position in positions:
        if position >= boundary:
            continue
        index = bisect_right(starts, position) - 1
        mark = ranges[index] if index >= 0 and ranges[index].last >= position else None
        if mark is not None and mark.fate in ABANDONED_FATES:
            continue
        cause = mark.by if mark is not None and mark.by is not None else -1
        kept_by_this = mark is not None and mark.fate is Fate.KEPT and cause == boundary
        states[position] = PromptState.KEPT if kept_by_this or cause > boundary else PromptState.SUMMARISED
    return states
