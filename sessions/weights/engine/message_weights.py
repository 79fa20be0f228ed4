"""What messages weigh, looked up by the record that each was made of. What was changed since is estimated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Piece
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.weights.engine.context_weights import combine
from sessions.weights.engine.conversation import NO_RECORD, PartKey
from sessions.weights.engine.features import features_of
from sessions.weights.engine.rates import Rates
from sessions.weights.engine.sizes import CategoryWeights, category_weights
from sessions.weights.engine.table import WeightTable
from sessions.weights.engine.weight import Basis, Weight


@dataclass(frozen=True, slots=True)
class MessageWeights:
    """As of the request at `position`."""

    table: WeightTable
    model: str
    position: int

    def block(self, message: Message, index: int) -> Weight:
        features = features_of(message.content[index], answer=message.kind is MessageKind.ANSWER)
        position = NO_RECORD if message.position is None else message.position
        measured = self.table.weight(PartKey(position, index, sum(features[1:])), self.position)
        return measured or Weight(Rates(self.model).estimate(features), Basis.ESTIMATED)

    def piece(self, piece: Piece) -> Weight:
        content = piece.message.content
        return self.block(piece.message, next(index for index, block in enumerate(content) if block is piece.block))

    def message(self, message: Message) -> Weight:
        return combine(self.block(message, index) for index in range(len(message.content)))

    def categories(self, messages: Iterable[Message], setup: RequestSetup) -> CategoryWeights:
        """With what stands before the messages, and what was counted without a record."""
        pairs = (
            (Piece(block, message), self.block(message, index))
            for message in messages
            for index, block in enumerate(message.content)
        )
        known = self.table.request(self.position)
        head, unrecorded = (None, 0.0) if known is None else (known.head, known.unrecorded)
        return category_weights(pairs, setup, self.model, head, unrecorded)
