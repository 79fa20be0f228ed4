"""What changed from one request to the next. The cache holds a prompt only up to the first change, so the first message
that differs matters most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from sessions.context.engine.digest import canonical, full_hash
from sessions.context.engine.rendering.array import Element
from sessions.context.engine.request import Context
from sessions.linking.engine.raw_fields import text
from sessions.text.engine.words import plural
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.messages import THINKING_TYPES


class ChangeKind(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    REWRITTEN = "rewritten"


class Cause(NamedTuple):
    words: str
    by: int | None = None
    """The position of the record that caused it."""


class Change(NamedTuple):
    kind: ChangeKind
    old: int | None
    """The index of the message in the previous request."""
    new: int | None
    """Its index in this request."""
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    before: int
    """How many messages the previous request had."""
    after: int
    unchanged: int
    """How many messages from the start are the same."""
    changes: tuple[Change, ...]
    cause: Cause | None = None
    """Why the prefix broke, where that is known."""

    @property
    def is_prefix_unchanged(self) -> bool:
        return self.unchanged == self.before

    def of(self, kind: ChangeKind) -> list[Change]:
        return [change for change in self.changes if change.kind is kind]

    @property
    def sentence(self) -> str:
        added = len(self.of(ChangeKind.ADDED))
        if self.is_prefix_unchanged:
            more = f"{plural(added, 'message was', 'messages were')} added" if added else "nothing changed"
            return f"The prefix held: {more}."
        return f"The prefix broke at message {self.unchanged + 1} of {self.before}: {self._describe_break()}."

    def _describe_break(self) -> str:
        why = f" ({self.cause.words})" if self.cause else ""
        removed, rewritten = self.of(ChangeKind.REMOVED), self.of(ChangeKind.REWRITTEN)
        if any(change.old == self.unchanged for change in rewritten):
            return f"it was rewritten{why}"
        if removed:
            # Count only messages with this cause; the others have lines of their own.
            same = sum(change.cause == removed[0].cause for change in removed) if self.cause == removed[0].cause else 0
            count = same or len(removed)
            others = f", and {plural(len(removed) - count, 'other')}" if count < len(removed) else ""
            return f"{plural(count, 'message is', 'messages are')} no longer sent{why}{others}"
        return f"messages were put in before it{why}"


def compare_contexts(previous: Context, current: Context) -> Changes:
    """Compare what two requests sent, message by message."""
    old, new = previous.elements, current.elements
    unchanged = _count_common(old, new)
    differences = tuple(_differences(old, new, unchanged))
    explained = tuple(change._replace(cause=_find_cause(change, previous, current)) for change in differences)
    return Changes(
        len(old),
        len(new),
        unchanged,
        explained,
        _break_cause(explained, previous, current) if unchanged < len(old) else None,
    )


def _count_common(old: Sequence[Element], new: Sequence[Element]) -> int:
    count, shorter = 0, min(len(old), len(new))
    while count < shorter and _is_same(old[count], new[count]):
        count += 1
    return count


def _is_same(old: Element, new: Element) -> bool:
    if old is new:
        return True
    if old.role != new.role or len(old.pieces) != len(new.pieces):
        return False
    return all(old_piece.block == new_piece.block for old_piece, new_piece in zip(old.pieces, new.pieces, strict=True))


def _differences(old: Sequence[Element], new: Sequence[Element], unchanged: int) -> Iterator[Change]:
    """The changes in each run that differs. A pair of messages from the same records counts as one rewritten
    message."""
    left, right = (
        [_fingerprint(element) for element in old[unchanged:]],
        [_fingerprint(element) for element in new[unchanged:]],
    )
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        pairs = _pair_elements(old[unchanged + i1 : unchanged + i2], new[unchanged + j1 : unchanged + j2])
        paired = set(pairs.values())
        for i in range(i2 - i1):
            if i in pairs:
                yield Change(ChangeKind.REWRITTEN, unchanged + i1 + i, unchanged + j1 + pairs[i])
            else:
                yield Change(ChangeKind.REMOVED, unchanged + i1 + i, None)
        for j in range(j2 - j1):
            if j not in paired:
                yield Change(ChangeKind.ADDED, None, unchanged + j1 + j)


def _pair_elements(old: Sequence[Element], new: Sequence[Element]) -> dict[int, int]:
    """Index in `old` -> index in `new`, for messages that share a record. Each has one partner."""
    places = {origin: index for index in range(len(new) - 1, -1, -1) for origin in origins(new[index])}
    pairs: dict[int, int] = {}
    for index, element in enumerate(old):
        partner = next((places[origin] for origin in origins(element) if origin in places), None)
        if partner is not None and partner not in pairs.values() and new[partner].role == element.role:
            pairs[index] = partner
    return pairs


def origins(element: Element) -> list[int | str]:
    """The records of a message, in order."""
    candidates = (
        piece.message.position if piece.message.position is not None else piece.message.uuid for piece in element.pieces
    )
    return [origin for origin in candidates if origin != ""]


def _fingerprint(element: Element) -> str:
    return full_hash(canonical(element.to_api()))


def _find_cause(change: Change, previous: Context, current: Context) -> Cause | None:
    """Why a message was rewritten or removed."""
    if change.old is None:
        return None
    element = previous.elements[change.old]
    positions = [origin for origin in origins(element) if isinstance(origin, int)]
    for position in positions:
        removed = current.removed_results.get(position)
        if removed is not None and previous.removed_results.get(position) is None:
            return Cause("the text of a result was cleared" if removed[1] else "a result went to disk", removed[0])
        if position in current.emptied_results and position not in previous.emptied_results:
            return Cause("the text of a result was cleared, which no record tells")
    for piece in element.pieces:
        by = current.overlays.snipped.get(key_of(piece.message.uuid)) if piece.message.uuid else None
        if by is not None and previous.position <= by < current.position:
            return Cause("snipped", by)
    if change.new is not None:
        return _rewrite_cause(element, current.elements[change.new], previous, current)
    for span in current.overlays.spans:
        if previous.position <= span.position < current.position:
            return Cause("collapsed", span.position)
    return None


def _rewrite_cause(old: Element, new: Element, previous: Context, current: Context) -> Cause | None:
    thoughts = [
        sum(text(piece.block.get("type")) in THINKING_TYPES for piece in element.pieces) for element in (old, new)
    ]
    if previous.model != current.model and thoughts[0] != thoughts[1]:
        return Cause(f"thinking is only sent to the model that had it, and {current.model} took over")
    more = len(new.pieces) - len(old.pieces)
    if more > 0:
        return Cause(f"{plural(more, 'block was', 'blocks were')} added to it")
    if more < 0:
        return Cause(f"{plural(-more, 'block is', 'blocks are')} gone from it")
    return None


def _break_cause(differences: Sequence[Change], previous: Context, current: Context) -> Cause | None:
    if current.start != previous.start:
        if current.start > previous.start:
            return Cause("the conversation was compacted", current.start)
        return Cause("the session went back behind a compaction")
    first = next((change for change in differences if change.old is not None), None)
    if first is not None and first.cause is not None:
        return first.cause
    if any(change.kind is ChangeKind.REMOVED for change in differences):
        return Cause("the session went back")
    return None
