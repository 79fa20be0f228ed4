"""The rows of a comparison for a page: both messages with the first lines of their blocks, masked and cut, and with
changed words marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape

from compaction.compare.engine.align import ComparisonRow
from compaction.compare.engine.causes import Cause
from compaction.compare.engine.changed_words import DiffAllowance, Stretch, elide, word_diff
from compaction.compare.engine.comparison import Comparison
from compaction.compare.engine.layout import Gap
from compaction.compare.engine.status import LABELS, SYMBOLS, Status
from compaction.mechanisms.engine.compaction.boundary import is_boundary
from compaction.trail.engine.attribution import Attribution
from sessions.context.engine.presentation.messages import is_number
from sessions.context.engine.presentation.pieces import PieceView, PieceViews, block_text
from sessions.context.engine.rendering.array import Piece
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.transcripts.engine.messages import Block, Message
from sessions.weights.engine import PromptSize
from sessions.weights.engine.message_weights import MessageWeights

BLOCKS = 12
"""Blocks of one message that are shown at once."""
ROOM = 74_000
"""Bytes that the rows of one page may come to."""
_FRAME = 560
"""Bytes of markup around a block."""
_LEAST = 0.12
_TEXT, _WHOLE = 40_000, 200_000
"""Characters of each side that are compared word by word, at once and on demand."""
_AROUND, _LONGEST = 140, 500
"""Characters around a change, and of one, that are shown at once."""


@dataclass(frozen=True, slots=True)
class ContextSide:
    """One of the two contexts."""

    messages: Sequence[Message]
    removed_results: Mapping[int, tuple[int, bool]] = field(default_factory=dict)
    """As a context has it: results whose text a record took away."""
    inexact: frozenset[int] = frozenset()
    """The places of messages whose wording is not recorded."""
    origin: str = "made by the client"
    """Of what no entry holds."""
    numbers: tuple[int, ...] = ()
    """What people call the messages, where that is not their place."""
    weights: MessageWeights | None = None
    """Without them, tokens are estimated."""
    size: PromptSize | None = None


@dataclass(frozen=True, slots=True)
class DiffBlockView:
    piece: PieceView
    paired: bool
    """The other side shows the same, or both in one."""
    diff: tuple[Stretch, ...] | None = None


@dataclass(frozen=True, slots=True)
class DiffMessageView:
    place: str
    """`b12`: the message before, counted from zero; `a12` that after."""
    number: int
    """For people, who count from one."""
    role: str
    tokens: int
    blocks: tuple[DiffBlockView, ...]
    more: int
    boundary: bool


@dataclass(frozen=True, slots=True)
class DiffRowView:
    place: int
    status: Status
    cause: Cause | None
    moved: bool
    before: DiffMessageView | None
    after: DiffMessageView | None
    sentences: tuple[int, ...] = ()
    """Of the summary, that it went into, as far as it can be told."""

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.status]

    @property
    def label(self) -> str:
        return LABELS[self.status]


class ComparisonView:
    """The rows of one comparison, made for a few rows at a time."""

    def __init__(
        self, comparison: Comparison, before: ContextSide, after: ContextSide, mask: Mask, opened: str = ""
    ) -> None:
        """`opened`: the place of a block or message to show in full."""
        self._comparison = comparison
        self._trace: Callable[[], Attribution | None] | None = None
        self._sides = {"b": before, "a": after}
        self._pieces = {name: _pieces(side) for name, side in self._sides.items()}
        self._mask = mask
        self._opened = opened
        self._room = DiffAllowance()

    def trace(self, trace: Callable[[], Attribution | None]) -> None:
        """Lets rows tell which sentences of the summary they went into. `trace` is called when the first row is
        shown."""
        self._trace = trace

    @cached_property
    def _attribution(self) -> Attribution | None:
        return self._trace() if self._trace is not None else None

    def __len__(self) -> int:
        return len(self._comparison.rows)

    def rows(self, items: Sequence[int | Gap]) -> list[DiffRowView | Gap]:
        """Rows, together not larger than a page allows."""
        rows = [self._row(item, 1.0) if isinstance(item, int) else item for item in items]
        total, frames = _bytes(rows), _FRAME * _blocks(rows)
        if total > ROOM:
            scale = max(_LEAST, (ROOM - frames) / max(1, total - frames) * 0.9)
            rows = [self._row(item, scale) if isinstance(item, int) else item for item in items]
        return rows

    def block(self, place: str) -> DiffBlockView | None:
        """One block in full."""
        row, number = self.find(place.partition(".")[0]), place.partition(".")[2]
        if row is None or not is_number(number):
            return None
        self._opened = place
        row_view = self._row(row, 1.0, most=int(number) + 1)
        message = row_view.before if place[0] == "b" else row_view.after
        assert message is not None
        return next((block for block in message.blocks if block.piece.place == place), None)

    def whole(self, place: str) -> DiffRowView | None:
        """The row of a message, with all blocks in full."""
        row = self.find(place)
        return None if row is None else self._row(row, 1.0, most=2_000)

    def find(self, place: str) -> int | None:
        """The row of the message at a place like `b12`."""
        if place[:1] not in self._sides or not is_number(place[1:]):
            return None
        number, before = int(place[1:]), place[0] == "b"
        rows = enumerate(self._comparison.rows)
        return next((index for index, row in rows if (row.before if before else row.after) == number), None)

    def _row(self, place: int, scale: float, most: int = BLOCKS) -> DiffRowView:
        row = self._comparison.rows[place]
        before, after = self._message(row, "b", scale, most), self._message(row, "a", scale, most)
        if before is not None and after is not None:
            before, after = self._pair_blocks(row, before, after, scale)
        return DiffRowView(place, row.status, row.cause, row.moved, before, after, self._sentences(row))

    def _sentences(self, row: ComparisonRow) -> tuple[int, ...]:
        if row.status is not Status.SUMMARISED or row.before is None or self._attribution is None:
            return ()
        return self._attribution.sentences_of(self._sides["b"].messages[row.before].uuid)

    def _message(self, row: ComparisonRow, name: str, scale: float, most: int) -> DiffMessageView | None:
        number = row.before if name == "b" else row.after
        if number is None:
            return None
        message, place = self._sides[name].messages[number], f"{name}{number}"
        most = 2_000 if self._opened == place else most
        blocks = tuple(
            self._block(name, number, block_index, scale) for block_index in range(min(most, len(message.content)))
        )
        weights = self._comparison.weight_before if name == "b" else self._comparison.weight_after
        more = len(message.content) - len(blocks)
        numbers = self._sides[name].numbers
        called = numbers[number] if numbers else number + 1
        return DiffMessageView(
            place, called, message.role, weights[number], blocks, more, is_boundary(message) and not message.content
        )

    def _block(self, name: str, number: int, block_index: int, scale: float) -> DiffBlockView:
        side = self._sides[name]
        message, place = side.messages[number], f"{name}{number}.{block_index}"
        lens = Lens(self._mask, whole=True) if self._opened == place else Lens(self._mask, scale=scale)
        piece = Piece(message.content[block_index], message, number not in side.inexact)
        return DiffBlockView(self._pieces[name].view(place, piece, lens), paired=False)

    def _pair_blocks(
        self, row: ComparisonRow, before: DiffMessageView, after: DiffMessageView, scale: float
    ) -> tuple[DiffMessageView, DiffMessageView]:
        """The same pair with changed words marked in its blocks."""
        assert row.before is not None
        assert row.after is not None
        old = self._sides["b"].messages[row.before].content
        new = self._sides["a"].messages[row.after].content
        left, right = list(before.blocks), list(after.blocks)
        for old_index, new_index in pair_blocks(old, new):
            if old_index >= len(left) or new_index >= len(right):
                continue
            if old[old_index] == new[new_index]:
                left[old_index], right[new_index] = (
                    replace(left[old_index], paired=True),
                    replace(right[new_index], paired=True),
                )
            elif row.status is Status.CHANGED:
                opened = self._opened in (left[old_index].piece.place, right[new_index].piece.place)
                diff, cut = self._diff(old[old_index], new[new_index], scale, whole=opened)
                left[old_index] = DiffBlockView(replace(left[old_index].piece, cut=cut), True, diff)
                right[new_index] = DiffBlockView(replace(right[new_index].piece, cut=cut), True, diff)
        return replace(before, blocks=tuple(left)), replace(after, blocks=tuple(right))

    def _diff(self, old: Block, new: Block, scale: float, *, whole: bool) -> tuple[tuple[Stretch, ...], bool]:
        most = _WHOLE if whole else _TEXT
        texts = block_text(old), block_text(new)
        before, after = (spell_invisible(self._mask(text[: most + 4_096])[:most]) for text in texts)
        stretches = word_diff(before, after, DiffAllowance() if whole else self._room)
        if not whole:
            stretches = elide(stretches, max(40, int(_AROUND * scale)), max(60, int(_LONGEST * scale)))
        cut = any(stretch.elided for stretch in stretches) or max(map(len, texts)) > most
        return stretches, cut


def pair_blocks(old: Sequence[Block], new: Sequence[Block]) -> list[tuple[int, int]]:
    """Pairs blocks of the same call, or of the same type in order."""
    names: dict[tuple[object, object], list[int]] = {}
    for index in range(len(new) - 1, -1, -1):
        names.setdefault(_name(new[index]), []).append(index)
    pairs = []
    for index, block in enumerate(old):
        if candidates := names.get(_name(block)):
            pairs.append((index, candidates.pop()))
    return pairs


def _name(block: Block) -> tuple[object, object]:
    return str(block.get("type")), str(block.get("id") or block.get("tool_use_id") or block.get("signature"))


def _pieces(side: ContextSide) -> PieceViews:
    answers = (message for message in side.messages if message.role == "assistant")
    return PieceViews(
        lambda: (block for message in answers for block in message.content),
        side.removed_results,
        side.origin,
        None if side.weights is None else side.weights.piece,
    )


def _blocks(rows: Sequence[DiffRowView | Gap]) -> int:
    return sum(len(side.blocks) + 1 for side in _messages(rows))


def _bytes(rows: Sequence[DiffRowView | Gap]) -> int:
    return sum(_FRAME + sum(_size(block) for block in side.blocks) for side in _messages(rows))


def _size(block: DiffBlockView) -> int:
    words = block.piece.words if block.diff is None else "".join(stretch.text for stretch in block.diff)
    return _FRAME + len(escape(words).encode("utf-8", "replace")) + 11 * len(block.diff or ())


def _messages(rows: Sequence[DiffRowView | Gap]) -> list[DiffMessageView]:
    sides = (side for row in rows if isinstance(row, DiffRowView) for side in (row.before, row.after))
    return [side for side in sides if side is not None]
