"""The changes between two requests for pages: a line for each message, and a diff of what was rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sessions.context.engine.changes import Cause, Change, ChangeKind, Changes
from sessions.context.engine.presentation.pieces import address_of, block_text
from sessions.context.engine.rendering.array import Element, Piece
from sessions.context.engine.request import Context
from sessions.linking.engine.raw_fields import text
from sessions.text.engine.diffs import Diff, Hunk, Line, from_texts, mark_words, plain_line
from sessions.text.engine.excerpt import cut
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.transcripts.engine.messages import THINKING_TYPES
from sessions.weights.engine import ContextWeights, Weight, combine

MAX_LISTED = 12
"""Changes of one kind that are listed one by one."""
MAX_DIFFS = 4
_MAX_LINES = 24
_MAX_WIDTH = 400
_MAX_TEXT = 200_000
_LINE_WIDTH = 110


@dataclass(frozen=True, slots=True)
class ChangedMessage:
    """One message that changed."""

    kind: ChangeKind
    old: int | None
    new: int | None
    role: str
    line: str
    """The beginning of its text."""
    weight: Weight
    address: str
    position: int | None
    cause: Cause | None
    diffs: tuple[Diff, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    kind: ChangeKind
    count: int
    weight: Weight
    messages: tuple[ChangedMessage, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.messages)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two requests, and what their parts weigh."""

    previous: Context
    current: Context
    previous_weights: ContextWeights
    current_weights: ContextWeights

    def element(self, change: Change | ChangedMessage) -> Element:
        if change.new is not None:
            return self.current.elements[change.new]
        assert change.old is not None
        return self.previous.elements[change.old]

    def weight(self, change: Change) -> Weight:
        if change.new is not None:
            return combine(self.current_weights.messages[change.new])
        assert change.old is not None
        return combine(self.previous_weights.messages[change.old])


def batch_changes(changes: Changes, compared: Compared, mask: Mask) -> list[ChangeBatch]:
    """The changes by kind; rewritten messages first, because they break the prefix."""
    batches = []
    for kind in (ChangeKind.REWRITTEN, ChangeKind.REMOVED, ChangeKind.ADDED):
        changed = changes.of(kind)
        if not changed:
            continue
        weight = combine(map(compared.weight, changed))
        messages = [_describe_change(change, compared, mask) for change in islice(changed, MAX_LISTED)]
        if kind is ChangeKind.REWRITTEN:
            messages[:MAX_DIFFS] = [_add_diffs(message, compared, mask) for message in messages[:MAX_DIFFS]]
        batches.append(ChangeBatch(kind, len(changed), weight, tuple(messages)))
    return batches


def _describe_change(change: Change, compared: Compared, mask: Mask) -> ChangedMessage:
    element = compared.element(change)
    speaking = (
        piece
        for piece in element.pieces
        if text(piece.block.get("type")) not in THINKING_TYPES and block_text(piece.block).strip()
    )
    first = next(speaking, element.pieces[0] if element.pieces else None)
    kinds = dict.fromkeys(str(piece.block.get("type")).replace("_", " ") for piece in element.pieces)
    name = f"{text(first.block.get('name'))} " if first else ""
    line = Lens(mask).line((name.lstrip() + block_text(first.block))[:4_000] if first else "", _LINE_WIDTH)
    return ChangedMessage(
        change.kind,
        change.old,
        change.new,
        element.role,
        line or ", ".join(kinds),
        compared.weight(change),
        address_of(first) if first else "",
        first.message.position if first else None,
        change.cause,
    )


def _add_diffs(message: ChangedMessage, compared: Compared, mask: Mask) -> ChangedMessage:
    if message.old is None or message.new is None:
        return message
    old, new = compared.previous.elements[message.old].pieces, compared.current.elements[message.new].pieces
    diffs = (_diff(before, after, mask) for before, after in _pair_pieces(old, new))
    return replace(message, diffs=tuple(islice((diff for diff in diffs if diff.hunks), 3)))


def _pair_pieces(old: Sequence[Piece], new: Sequence[Piece]) -> list[tuple[Piece | None, Piece | None]]:
    """Pairs of blocks of the same call, or of the same record and type; then the blocks without a partner."""
    waiting = list(new)
    pairs: list[tuple[Piece | None, Piece | None]] = []
    for piece in old:
        partner = next((candidate for candidate in waiting if _identity(candidate) == _identity(piece)), None)
        if partner is not None:
            waiting.remove(partner)
        pairs.append((piece, partner))
    return [*pairs, *((None, piece) for piece in waiting)]


def _identity(piece: Piece) -> tuple[object, ...]:
    block = piece.block
    return block.get("type"), block.get("id") or block.get("tool_use_id") or piece.message.position


def _diff(old: Piece | None, new: Piece | None, mask: Mask) -> Diff:
    before, after = _masked_text(old, mask), _masked_text(new, mask)
    if before == after:
        return Diff(())
    diff = from_texts(before, after).head(_MAX_LINES)
    return Diff(tuple(mark_words(Hunk(hunk.old, hunk.new, tuple(map(_clip, hunk.lines)))) for hunk in diff.hunks))


def _masked_text(piece: Piece | None, mask: Mask) -> str:
    return spell_invisible(mask(block_text(piece.block)[:_MAX_TEXT])) if piece is not None else ""


def _clip(line: Line) -> Line:
    return line if len(line.text) <= _MAX_WIDTH else plain_line(line.kind, cut(line.text, _MAX_WIDTH))
