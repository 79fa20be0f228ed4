"""The parts of a prompt, as the ledger takes them: one for each content block of its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sessions.context.engine.rendering.array import Element, Piece
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import Block, MessageKind
from sessions.weights.engine.features import Features, features_of
from sessions.weights.engine.ledger import Part

NO_RECORD = -1


class PartKey(NamedTuple):
    """A block that was shortened or cleared is a different part than before."""

    position: int
    """Of the record; NO_RECORD for what none holds."""
    number: int
    """Among the blocks of that record."""
    size: int
    """Characters, and tokens of pictures."""


class PartReader:
    """Measures each block once, however many requests it is sent in."""

    def __init__(self) -> None:
        self._features: dict[int, tuple[Block, Features]] = {}

    def parts(self, elements: Sequence[Element]) -> list[list[Part]]:
        """By message."""
        numbers: Counter[int] = Counter()
        return [[self._part(piece, numbers) for piece in element.pieces] for element in elements]

    def _part(self, piece: Piece, numbers: Counter[int]) -> Part:
        message, block = piece.message, piece.block
        position = NO_RECORD if message.position is None else message.position
        number = numbers[position]
        numbers[position] += 1
        is_answer = message.kind is MessageKind.ANSWER
        measured = self._features.get(id(block))
        if measured is None:
            measured = self._features[id(block)] = (block, features_of(block, answer=is_answer))
        features, kind = measured[1], text(block.get("type"))
        # What a tool of the server gave back stands in an answer, but is none of its output.
        is_output = is_answer and not kind.endswith("_tool_result")
        return Part(
            PartKey(position, number, sum(features[1:])),
            features,
            message.message_id if is_output else "",
            kind == "server_tool_use",
        )
