"""The changes between two requests as a page shows them: a line for each message, and a diff of what was rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sessions.context.engine.changes import (
    Cause,
    Change,
    ChangeKind,
    Changes,
)
from sessions.context.engine.presentation.pieces import address_of, told
from sessions.context.engine.rendering.answers import THINKING
from sessions.context.engine.rendering.array import Element, Piece
from sessions.context.engine.request import Context
from sessions.linking.engine.raw_fields import text
from sessions.text.engine.diffs import (
    Diff,
    Hunk,
    Line,
    from_texts,
    plain,
    with_words,
)
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.usage.engine.tokens import estimate_blocks

FEW = 12
"""Changes of one kind that are told one by one."""
DIFFS = 4
_LINES = 24
_WIDTH = 400
_TEXT = 200_000
_LINE = 110


@dataclass(frozen=True, slots=True)
class Told:
    """One message that changed."""

    kind: ChangeKind
    old: int | None
    new: int | None
    role: str
    line: str
    """How it begins."""
    tokens: int
    address: str
    position: int | None
    cause: Cause | None
    diffs: tuple[Diff, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    kind: ChangeKind
    count: int
    tokens: int
    told: tuple[Told, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.told)


def batches(found: Changes, previous: Context, current: Context, mask: Mask) -> list[Batch]:
    """By kind: what was rewritten first, because that is what breaks a prefix."""
    made = []
    for kind in (ChangeKind.REWRITTEN, ChangeKind.REMOVED, ChangeKind.ADDED):
        changed = found.of(kind)
        if not changed:
            continue
        tokens = sum(_tokens(_element(change, previous, current)) for change in changed)
        told = [_told(change, previous, current, mask) for change in islice(changed, FEW)]
        if kind is ChangeKind.REWRITTEN:
            told[:DIFFS] = [_with_diffs(one, previous, current, mask) for one in told[:DIFFS]]
        made.append(Batch(kind, len(changed), tokens, tuple(told)))
    return made


def _element(change: Change | Told, previous: Context, current: Context) -> Element:
    if change.new is not None:
        return current.elements[change.new]
    assert change.old is not None
    return previous.elements[change.old]


def _tokens(element: Element) -> int:
    return estimate_blocks([piece.block for piece in element.pieces])


def _told(change: Change, previous: Context, current: Context, mask: Mask) -> Told:
    element = _element(change, previous, current)
    spoken = (
        piece for piece in element.pieces if text(piece.block.get("type")) not in THINKING and told(piece.block).strip()
    )
    first = next(spoken, element.pieces[0] if element.pieces else None)
    kinds = dict.fromkeys(str(piece.block.get("type")).replace("_", " ") for piece in element.pieces)
    name = f"{text(first.block.get('name'))} " if first else ""
    line = Lens(mask).line((name.lstrip() + told(first.block))[:4_000] if first else "", _LINE)
    return Told(
        change.kind,
        change.old,
        change.new,
        element.role,
        line or ", ".join(kinds),
        _tokens(element),
        address_of(first) if first else "",
        first.message.position if first else None,
        change.cause,
    )


def _with_diffs(one: Told, previous: Context, current: Context, mask: Mask) -> Told:
    if one.old is None or one.new is None:
        return one
    old, new = previous.elements[one.old].pieces, current.elements[one.new].pieces
    found = (_diff(before, after, mask) for before, after in _partners(old, new))
    return replace(one, diffs=tuple(islice((diff for diff in found if diff.hunks), 3)))


def _partners(old: Sequence[Piece], new: Sequence[Piece]) -> list[tuple[Piece | None, Piece | None]]:
    """Blocks of the same call or of the same record and type; then those that have no partner."""
    waiting = list(new)
    pairs: list[tuple[Piece | None, Piece | None]] = []
    for piece in old:
        partner = next((one for one in waiting if _name(one) == _name(piece)), None)
        if partner is not None:
            waiting.remove(partner)
        pairs.append((piece, partner))
    return [*pairs, *((None, piece) for piece in waiting)]


def _name(piece: Piece) -> tuple[object, ...]:
    block = piece.block
    return block.get("type"), block.get("id") or block.get("tool_use_id") or piece.message.position


def _diff(old: Piece | None, new: Piece | None, mask: Mask) -> Diff:
    before, after = _words(old, mask), _words(new, mask)
    if before == after:
        return Diff(())
    found = from_texts(before, after).head(_LINES)
    return Diff(tuple(with_words(Hunk(hunk.old, hunk.new, tuple(map(_clipped, hunk.lines)))) for hunk in found.hunks))


def _words(piece: Piece | None, mask: Mask) -> str:
    return spell_invisible(mask(told(piece.block)[:_TEXT])) if piece is not None else ""


def _clipped(line: Line) -> Line:
    words = line.text
    return line if len(words) <= _WIDTH else plain(line.kind, words[: _WIDTH - 1] + "…")
