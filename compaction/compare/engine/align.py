"""Pairs the messages of two contexts.

Records are identified by their uuids, messages without one by their content. Messages in the same order in both
contexts are side by side; one that moved is shown at its new place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from compaction.compare.engine.causes import Cause, Causes, find_cause, message_name
from compaction.compare.engine.status import Status
from compaction.mechanisms.engine.fingerprint import fingerprint
from sessions.context.engine.presentation.pieces import PERSISTED, block_text
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.text.engine.matching import longest_increasing
from sessions.transcripts.engine.messages import Block, Message


class ComparisonRow(NamedTuple):
    status: Status
    before: int | None
    """Its place in the former context, counted from zero."""
    after: int | None
    cause: Cause | None = None
    moved: bool = False
    """It stood elsewhere before."""


@dataclass(frozen=True, slots=True)
class Pairs:
    before: Sequence[Message]
    after: Sequence[Message]
    partner: dict[int, int]
    """Place in the one -> place in the other."""

    def missing(self) -> list[Message]:
        """Messages that are gone or have changed; only a record can tell why."""
        return [
            message
            for index, message in enumerate(self.before)
            if index not in self.partner or not _is_same(message, self.after[self.partner[index]])
        ]

    def rows(self, causes: Causes) -> Iterator[ComparisonRow]:
        """Every message of both contexts once, in an order that agrees with both as far as possible."""
        old_by_new = {new: old for old, new in self.partner.items()}
        next_old, next_new = 0, 0
        for old, new in [*longest_increasing(sorted(self.partner.items())), (len(self.before), len(self.after))]:
            for place in range(next_old, old):
                if place not in self.partner:
                    yield _removed_row(place, self.before[place], causes)
            for place in range(next_new, new):
                if place in old_by_new:
                    yield self._pair(old_by_new[place], place, causes, moved=True)
                else:
                    yield ComparisonRow(Status.ADDED, None, place, find_cause(self.after[place], causes.added))
            if old < len(self.before):
                yield self._pair(old, new, causes)
            next_old, next_new = old + 1, new + 1

    def _pair(self, old: int, new: int, causes: Causes, *, moved: bool = False) -> ComparisonRow:
        before, after = self.before[old], self.after[new]
        cause = find_cause(before, causes.rewritten)
        if _is_same(before, after):
            if cause is not None and cause.only_in_cache:
                return ComparisonRow(Status.CLEARED, old, new, cause, moved)
            return ComparisonRow(Status.KEPT, old, new, None, moved)
        return ComparisonRow(_changed_status(before, after, cause), old, new, cause, moved)


def match_messages(before: Sequence[Message], after: Sequence[Message]) -> Pairs:
    partner = _by_name(before, after)
    partners = set(partner.values())
    left = [index for index in range(len(before)) if index not in partner]
    right = [index for index in range(len(after)) if index not in partners]
    for old, new in _by_words(before, after, left, right):
        partner[old] = new
    return Pairs(before, after, partner)


def _by_name(before: Sequence[Message], after: Sequence[Message]) -> dict[int, int]:
    """A record may be in a context more than once: the first is paired with the first, and so on."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index in range(len(after) - 1, -1, -1):
        if name := message_name(after[index]):
            places[name, after[index].role].append(index)
    partner = {}
    for index, message in enumerate(before):
        name = message_name(message)
        candidates = places.get((name, message.role)) if name else None
        if candidates:
            partner[index] = candidates.pop()
    return partner


def _by_words(
    before: Sequence[Message], after: Sequence[Message], left: Sequence[int], right: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Two records with the same words are different; messages without a uuid are identified by their words."""
    places: dict[str, list[int]] = defaultdict(list)
    nameless = any(not message_name(before[index]) for index in left)
    for index in reversed(right):
        if nameless or not message_name(after[index]):
            places[_print(after[index])].append(index)
    for index in left if places else ():
        candidates = places.get(_print(before[index]))
        if candidates and not (message_name(before[index]) and message_name(after[candidates[-1]])):
            yield index, candidates.pop()


def _print(message: Message) -> str:
    return fingerprint([message.role, message.content])


def _is_same(before: Message, after: Message) -> bool:
    return before.content == after.content and before.role == after.role


def _removed_row(place: int, message: Message, causes: Causes) -> ComparisonRow:
    cause = find_cause(message, causes.removed) or Cause(None, causes.otherwise)
    return ComparisonRow(cause.status or Status.DROPPED, place, None, cause)


def _changed_status(before: Message, after: Message, cause: Cause | None) -> Status:
    """A result that was replaced by a placeholder or a preview shows that itself."""
    former = {str(block.get("tool_use_id")): block for block in before.content if block.get("type") == "tool_result"}
    for block in after.content:
        old = former.get(str(block.get("tool_use_id"))) if block.get("type") == "tool_result" else None
        if old is not None and old != block and (status := _placeholder_status(block)) is not None:
            return status
    return cause.status if cause is not None and cause.status is not None else Status.CHANGED


def _placeholder_status(block: Block) -> Status | None:
    words = block_text(block)
    if words.strip() == CLEARED:
        return Status.CLEARED
    return Status.PERSISTED if words.lstrip().startswith(PERSISTED) else None
