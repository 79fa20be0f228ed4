"""Which message of one context is which of another.

Records are known by their uuids, and what has no name by what it says. Messages that follow each other in both contexts
stand beside each other; one that changed its place stands where it is now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from compaction.compare.engine.causes import (
    Cause,
    Causes,
    cause_of,
    name_of,
)
from compaction.compare.engine.longest_increasing import rising
from compaction.compare.engine.status import Status
from compaction.mechanisms.engine.fingerprint import fingerprint
from sessions.context.engine.presentation.pieces import PERSISTED, block_text
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.transcripts.engine.messages import Block, Message


class Row(NamedTuple):
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
        """Those whose fate has to be told by somebody else: gone, or no longer the same."""
        return [
            message
            for at, message in enumerate(self.before)
            if at not in self.partner or not _same(message, self.after[self.partner[at]])
        ]

    def rows(self, causes: Causes) -> Iterator[Row]:
        """Every message of both contexts once, in the order of both as far as that is one."""
        where = {new: old for old, new in self.partner.items()}
        at, to = 0, 0
        for old, new in [*rising(sorted(self.partner.items())), (len(self.before), len(self.after))]:
            for place in range(at, old):
                if place not in self.partner:
                    yield _gone(place, self.before[place], causes)
            for place in range(to, new):
                if place in where:
                    yield self._pair(where[place], place, causes, moved=True)
                else:
                    yield Row(Status.ADDED, None, place, cause_of(self.after[place], causes.added))
            if old < len(self.before):
                yield self._pair(old, new, causes)
            at, to = old + 1, new + 1

    def _pair(self, old: int, new: int, causes: Causes, *, moved: bool = False) -> Row:
        before, after = self.before[old], self.after[new]
        cause = cause_of(before, causes.rewritten)
        if _same(before, after):
            if cause is not None and cause.unseen:
                return Row(Status.CLEARED, old, new, cause, moved)
            return Row(Status.KEPT, old, new, None, moved)
        return Row(_became(before, after, cause), old, new, cause, moved)


def matched(before: Sequence[Message], after: Sequence[Message]) -> Pairs:
    partner = _by_name(before, after)
    taken = set(partner.values())
    left = [at for at in range(len(before)) if at not in partner]
    right = [at for at in range(len(after)) if at not in taken]
    for old, new in _by_words(before, after, left, right):
        partner[old] = new
    return Pairs(before, after, partner)


def _by_name(before: Sequence[Message], after: Sequence[Message]) -> dict[int, int]:
    """A record may stand in a context more than once: the first is the first, and so on."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at in range(len(after) - 1, -1, -1):
        if name := name_of(after[at]):
            places[name, after[at].role].append(at)
    partner = {}
    for at, message in enumerate(before):
        name = name_of(message)
        known = places.get((name, message.role)) if name else None
        if known:
            partner[at] = known.pop()
    return partner


def _by_words(
    before: Sequence[Message], after: Sequence[Message], left: Sequence[int], right: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Two records that say the same are two records; what has no name is known by its words alone."""
    places: dict[str, list[int]] = defaultdict(list)
    nameless = any(not name_of(before[at]) for at in left)
    for at in reversed(right):
        if nameless or not name_of(after[at]):
            places[_print(after[at])].append(at)
    for at in left if places else ():
        known = places.get(_print(before[at]))
        if known and not (name_of(before[at]) and name_of(after[known[-1]])):
            yield at, known.pop()


def _print(message: Message) -> str:
    return fingerprint([message.role, message.content])


def _same(before: Message, after: Message) -> bool:
    return before.content == after.content and before.role == after.role


def _gone(place: int, message: Message, causes: Causes) -> Row:
    cause = cause_of(message, causes.gone) or Cause(None, causes.otherwise)
    return Row(cause.status or Status.DROPPED, place, None, cause)


def _became(before: Message, after: Message, cause: Cause | None) -> Status:
    """Results that gave way to a placeholder or to a preview tell so themselves."""
    former = {str(block.get("tool_use_id")): block for block in before.content if block.get("type") == "tool_result"}
    for block in after.content:
        old = former.get(str(block.get("tool_use_id"))) if block.get("type") == "tool_result" else None
        if old is not None and old != block and (status := _put_aside(block)) is not None:
            return status
    return cause.status if cause is not None and cause.status is not None else Status.CHANGED


def _put_aside(block: Block) -> Status | None:
    words = block_text(block)
    if words.strip() == CLEARED:
        return Status.CLEARED
    return Status.PERSISTED if words.lstrip().startswith(PERSISTED) else None
