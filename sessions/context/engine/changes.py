"""What changed from one request to the next. The cache holds a prompt only as far as nothing in it was rewritten, so
the first message that differs is what matters most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from sessions.context.engine.digest import canonical, full_hash
from sessions.context.engine.rendering.answers import THINKING
from sessions.context.engine.rendering.array import Element
from sessions.context.engine.request import Context
from sessions.linking.engine.raw_fields import text
from sessions.text.engine.words import plural
from sessions.transcripts.engine.keys import key_of


class ChangeKind(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    REWRITTEN = "rewritten"


class Cause(NamedTuple):
    words: str
    by: int | None = None
    """The position of the record that says so."""


class Change(NamedTuple):
    kind: ChangeKind
    old: int | None
    """The message's place in the former request, counted from zero."""
    new: int | None
    """Its place in this one."""
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    before: int
    """How many messages the former request had."""
    after: int
    held: int
    """How many messages from the start are the same."""
    changes: tuple[Change, ...]
    cause: Cause | None = None
    """Why the prefix broke, where that is known."""

    @property
    def prefix_held(self) -> bool:
        return self.held == self.before

    def of(self, kind: ChangeKind) -> list[Change]:
        return [change for change in self.changes if change.kind is kind]

    @property
    def sentence(self) -> str:
        added = len(self.of(ChangeKind.ADDED))
        if self.prefix_held:
            more = f"{plural(added, 'message')} {'was' if added == 1 else 'were'} added" if added else "nothing changed"
            return f"The prefix held: {more}."
        return f"The prefix broke at message {self.held + 1} of {self.before}: {self._first()}."

    def _first(self) -> str:
        why = f" ({self.cause.words})" if self.cause else ""
        removed, rewritten = self.of(ChangeKind.REMOVED), self.of(ChangeKind.REWRITTEN)
        if any(change.old == self.held for change in rewritten):
            return f"it was rewritten{why}"
        if removed:
            # Only what went for the reason that is told; the others are told in their own lines.
            same = sum(change.cause == removed[0].cause for change in removed) if self.cause == removed[0].cause else 0
            count = same or len(removed)
            others = f", and {plural(len(removed) - count, 'other')}" if count < len(removed) else ""
            return f"{plural(count, 'message')} {'is' if count == 1 else 'are'} no longer sent{why}{others}"
        return f"messages were put in before it{why}"


def changes(previous: Context, current: Context) -> Changes:
    """Compares what two requests were sent, message by message."""
    old, new = previous.elements, current.elements
    held = _common(old, new)
    found = tuple(_differences(old, new, held))
    told = tuple(change._replace(cause=_cause(change, previous, current)) for change in found)
    return Changes(len(old), len(new), held, told, _why(told, previous, current) if held < len(old) else None)


def _common(old: Sequence[Element], new: Sequence[Element]) -> int:
    at, shorter = 0, min(len(old), len(new))
    while at < shorter and _same(old[at], new[at]):
        at += 1
    return at


def _same(old: Element, new: Element) -> bool:
    if old is new:
        return True
    if old.role != new.role or len(old.pieces) != len(new.pieces):
        return False
    return all(one.block == other.block for one, other in zip(old.pieces, new.pieces, strict=True))


def _differences(old: Sequence[Element], new: Sequence[Element], held: int) -> Iterator[Change]:
    """Runs that differ; in each, messages of the same records are one that was rewritten."""
    left, right = [_print(one) for one in old[held:]], [_print(one) for one in new[held:]]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        pairs = _pairs(old[held + i1 : held + i2], new[held + j1 : held + j2])
        taken = set(pairs.values())
        for i in range(i2 - i1):
            if i in pairs:
                yield Change(ChangeKind.REWRITTEN, held + i1 + i, held + j1 + pairs[i])
            else:
                yield Change(ChangeKind.REMOVED, held + i1 + i, None)
        for j in range(j2 - j1):
            if j not in taken:
                yield Change(ChangeKind.ADDED, None, held + j1 + j)


def _pairs(old: Sequence[Element], new: Sequence[Element]) -> dict[int, int]:
    """Place in the one -> place in the other, of messages that the same records speak in. Each has one partner."""
    places = {origin: at for at in range(len(new) - 1, -1, -1) for origin in origins(new[at])}
    pairs: dict[int, int] = {}
    for at, element in enumerate(old):
        partner = next((places[one] for one in origins(element) if one in places), None)
        if partner is not None and partner not in pairs.values() and new[partner].role == element.role:
            pairs[at] = partner
    return pairs


def origins(element: Element) -> list[int | str]:
    """The records of a message, in its order."""
    found = (
        piece.message.position if piece.message.position is not None else piece.message.uuid for piece in element.pieces
    )
    return [one for one in found if one != ""]


def _print(element: Element) -> str:
    return full_hash(canonical(element.to_api()))


def _cause(change: Change, previous: Context, current: Context) -> Cause | None:
    """Why one message was rewritten or is gone."""
    if change.old is None:
        return None
    element = previous.elements[change.old]
    positions = [one for one in origins(element) if isinstance(one, int)]
    for position in positions:
        taken = current.taken.get(position)
        if taken is not None and previous.taken.get(position) is None:
            return Cause("the text of a result was cleared" if taken[1] else "a result went to disk", taken[0])
        if position in current.emptied and position not in previous.emptied:
            return Cause("the text of a result was cleared, which no record tells")
    for piece in element.pieces:
        by = current.overlays.snipped.get(key_of(piece.message.uuid)) if piece.message.uuid else None
        if by is not None and previous.position <= by < current.position:
            return Cause("snipped", by)
    if change.new is not None:
        return _rewriting(element, current.elements[change.new], previous, current)
    for span in current.overlays.spans:
        if previous.position <= span.position < current.position:
            return Cause("collapsed", span.position)
    return None


def _rewriting(old: Element, new: Element, previous: Context, current: Context) -> Cause | None:
    thoughts = [sum(text(piece.block.get("type")) in THINKING for piece in element.pieces) for element in (old, new)]
    if previous.model != current.model and thoughts[0] != thoughts[1]:
        return Cause(f"thinking is only sent to the model that had it, and {current.model} took over")
    more = len(new.pieces) - len(old.pieces)
    if more > 0:
        return Cause(f"{plural(more, 'block')} {'was' if more == 1 else 'were'} added to it")
    if more < 0:
        return Cause(f"{plural(-more, 'block')} {'is' if more == -1 else 'are'} gone from it")
    return None


def _why(found: Sequence[Change], previous: Context, current: Context) -> Cause | None:
    if current.start != previous.start:
        if current.start > previous.start:
            return Cause("the conversation was compacted", current.start)
        return Cause("the session went back behind a compaction")
    first = next((change for change in found if change.old is not None), None)
    if first is not None and first.cause is not None:
        return first.cause
    if any(change.kind is ChangeKind.REMOVED for change in found):
        return Cause("the session went back")
    return None
