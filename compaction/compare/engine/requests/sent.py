"""The messages of a request as they were sent, divided by their records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from compaction.compare.engine.presentation import ContextSide
from sessions.context.engine import Context
from sessions.context.engine.rendering.array import Element, Piece
from sessions.transcripts.engine.messages import Message, replace_fields


def sent_side(context: Context, side: ContextSide) -> ContextSide:
    """A side of a comparison with the messages as they were sent, instead of the records.

    A message of the array may contain several records. Each gets its own row, with the number of its message, so that
    it can be compared with the same record on the other side.
    """
    runs = [run for index, element in enumerate(context.elements) for run in _runs(index, element)]
    messages = tuple(message for _, message, _ in runs)
    inexact = frozenset(place for place, (_, _, exact) in enumerate(runs) if not exact)
    numbers = tuple(number for number, _, _ in runs)
    return ContextSide(messages, side.removed_results, inexact, side.origin, numbers, side.weights)


def _runs(number: int, element: Element) -> Iterator[tuple[int, Message, bool]]:
    for _, run in groupby(element.pieces, key=_record):
        pieces = list(run)
        blocks = tuple(piece.block for piece in pieces)
        yield number + 1, replace_fields(pieces[0].message, content=blocks, role=element.role), _exact(pieces)


def _record(piece: Piece) -> tuple[str, int | None]:
    return piece.message.uuid, piece.message.position


def _exact(pieces: Sequence[Piece]) -> bool:
    return all(piece.exact for piece in pieces)
