"""What the messages of a context weigh, one by one, also after some were edited. What was edited is estimated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element, Piece
from sessions.transcripts.engine.messages import Block, Message, MessageKind
from sessions.weights.engine.context_weights import ContextWeights
from sessions.weights.engine.features import Features, features_of
from sessions.weights.engine.prompt_size import PromptSize
from sessions.weights.engine.rates import Rates
from sessions.weights.engine.sizes import CategoryWeights, category_weights
from sessions.weights.engine.weight import Basis, Weight, combine

_Owner = int | str
"""The place of a record; of what none holds, its id."""
NEARLY = 4
"""Characters by which a block may differ from how it was sent: line ends where blocks were joined."""


@dataclass(frozen=True, slots=True)
class MessageWeights:
    context: PromptSize
    """Of the context that they are from."""
    rates: Rates
    blocks: Mapping[tuple[_Owner, int], tuple[int, Weight]] = field(default_factory=dict)
    """By record and number: how long the block is, and its weight."""
    messages: Sequence[Message] = ()
    pieces: Sequence[tuple[Piece, Weight]] = ()
    """What the messages of the context are sent as: some blocks are joined to others."""

    @classmethod
    def of(
        cls, messages: Sequence[Message], elements: Sequence[Element], weights: ContextWeights, rates: Rates
    ) -> MessageWeights:
        """`messages`: the records that the elements were made of. Together they weigh what the elements do."""
        rows = zip(elements, weights.messages, strict=True)
        pieces = [pair for element, row in rows for pair in zip(element.pieces, row, strict=True)]
        return cls(weights.size, rates, _by_record(messages, elements, weights, rates), tuple(messages), pieces)

    def block(self, message: Message, index: int) -> Weight:
        features = _features(message, message.content[index])
        known = self.blocks.get((_owner(message), index))
        if known is not None and abs(known[0] - sum(features[1:])) <= NEARLY:
            return known[1]
        return Weight(self.rates.estimate(features), Basis.ESTIMATED)

    def piece(self, piece: Piece) -> Weight:
        content = piece.message.content
        return self.block(piece.message, next(index for index, block in enumerate(content) if block is piece.block))

    def message(self, message: Message) -> Weight:
        return combine(self.block(message, index) for index in range(len(message.content)))

    def size(self, messages: Iterable[Message]) -> PromptSize:
        """Of a prompt with these messages instead. What was counted without a record went along with messages, so as
        much of it is left as of them."""
        total = combine(map(self.message, messages))
        whole = self.context.messages.tokens
        unrecorded = self.context.unrecorded * min(1.0, total.tokens / whole if whole else 1.0)
        return PromptSize(total, self.context.head, unrecorded)

    def categories(self, messages: Iterable[Message], setup: RequestSetup, model: str) -> CategoryWeights:
        """With what stands before the messages, and what was counted without a record."""
        messages = tuple(messages)
        pairs: Iterable[tuple[Piece, Weight]] = self.pieces
        if messages != self.messages:
            pairs = (
                (Piece(block, message), self.block(message, index))
                for message in messages
                for index, block in enumerate(message.content)
            )
        size = self.size(messages)
        return category_weights(pairs, setup, model, size.head, size.unrecorded)


def _by_record(
    messages: Sequence[Message], elements: Sequence[Element], weights: ContextWeights, rates: Rates
) -> dict[tuple[_Owner, int], tuple[int, Weight]]:
    """A block that was joined to another one has no piece of its own: it weighs what the others leave."""
    pieces: dict[tuple[_Owner, object], list[tuple[Piece, Weight]]] = {}
    for element, row in zip(elements, weights.messages, strict=True):
        for piece, weight in zip(element.pieces, row, strict=True):
            pieces.setdefault((_owner(piece.message), piece.block.get("type")), []).append((piece, weight))
    known: dict[tuple[_Owner, int], tuple[int, Weight]] = {}
    joined: dict[tuple[_Owner, int], Weight] = {}
    for message, index, block in _blocks(messages):
        features = _features(message, block)
        place, length = (_owner(message), index), sum(features[1:])
        own = Weight(rates.estimate(features), Basis.ESTIMATED)
        if partners := pieces.get((_owner(message), block.get("type"))):
            known[place] = length, _own_share(partners.pop(0), message, length, own, rates)
        else:
            known[place] = length, own
            joined[place] = own
    whole = weights.size.messages
    if whole.basis is not Basis.ESTIMATED:
        for place, weight in joined.items():
            joined[place] = Weight(weight.tokens, Basis.APPORTIONED)
            known[place] = known[place][0], joined[place]
    left = whole.tokens - sum(weight.tokens for _, weight in known.values())
    shared = joined or {place: weight for place, (_, weight) in known.items()}
    total = sum(weight.tokens for weight in shared.values())
    if total and abs(left) >= 0.5:
        factor = max(0.0, (total + left) / total)
        for place, weight in shared.items():
            known[place] = known[place][0], Weight(weight.tokens * factor, _less_sure(weight.basis))
    return known


def _own_share(partner: tuple[Piece, Weight], message: Message, length: int, own: Weight, rates: Rates) -> Weight:
    """Of a piece that has grown by what was joined to it."""
    piece, weight = partner
    features = _features(message, piece.block)
    if sum(features[1:]) <= length + NEARLY:
        return weight
    share = own.tokens / max(rates.estimate(features), own.tokens, 1e-9)
    return Weight(weight.tokens * share, _less_sure(weight.basis))


def _less_sure(basis: Basis) -> Basis:
    return Basis.APPORTIONED if basis is Basis.MEASURED else basis


def _blocks(messages: Iterable[Message]) -> Iterator[tuple[Message, int, Block]]:
    return ((message, index, block) for message in messages for index, block in enumerate(message.content))


def _features(message: Message, block: Block) -> Features:
    return features_of(block, answer=message.kind is MessageKind.ANSWER)


def _owner(message: Message) -> _Owner:
    return message.uuid if message.position is None else message.position
