"""What a ledger has measured of one conversation, in a form that can be stored: a few bytes for each part."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
import zstandard

from sessions.usage.engine.tokens import shows_usual_window
from sessions.weights.engine.boundary_size import BoundarySize
from sessions.weights.engine.conversation import PartKey
from sessions.weights.engine.ledger import Change, Sizing
from sessions.weights.engine.prompt_size import PromptSize
from sessions.weights.engine.rates import Factors
from sessions.weights.engine.weight import Basis, Weight

_BASES = tuple(Basis)
_CHANGE = struct.Struct("<iihifB")
_REQUEST = struct.Struct("<ifBffff")
_BOUNDARY = struct.Struct("<i?qfBfBf?qfBfBffB?")
"""A weight below zero stands for none."""
_HEADER = struct.Struct("<III")
MOST_NUMBER = 0x7FFF


class Measured(NamedTuple):
    """What one request counted beside the parts of its messages."""

    position: int
    head: Weight
    unrecorded: float
    predicted: float
    """The prompt as it was expected; negative where nothing could be expected."""
    named: float
    """What the head and the parts add up to."""
    attached: float = 0.0
    """Of what is not recorded, what came with a compaction."""


@dataclass(frozen=True, slots=True)
class WeightTable:
    changes: tuple[Change, ...] = ()
    requests: tuple[Measured, ...] = ()
    boundaries: tuple[BoundarySize, ...] = ()
    factors: tuple[tuple[str, Factors], ...] = ()
    """By model, for what was not counted."""
    _by_key: dict[PartKey, list[Change]] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, changes: Iterable[Change], sizings: Iterable[Sizing]) -> WeightTable:
        return cls.make(
            tuple(changes),
            tuple(
                Measured(
                    sizing.count.position,
                    sizing.head,
                    sizing.unrecorded,
                    -1.0 if sizing.predicted is None else sizing.predicted,
                    sizing.named,
                    sizing.attached,
                )
                for sizing in sizings
            ),
        )

    @classmethod
    def make(
        cls,
        changes: tuple[Change, ...],
        requests: tuple[Measured, ...],
        boundaries: tuple[BoundarySize, ...] = (),
        factors: tuple[tuple[str, Factors], ...] = (),
    ) -> WeightTable:
        by_key: dict[PartKey, list[Change]] = {}
        for change in changes:
            assert isinstance(change.key, PartKey)
            by_key.setdefault(change.key, []).append(change)
        return cls(changes, requests, boundaries, factors, by_key)

    def weight(self, key: PartKey, position: int) -> Weight | None:
        """As of the request whose answer stands at `position`; what was measured later counts if nothing was before."""
        changes = self._by_key.get(key)
        if not changes:
            return None
        if len(changes) == 1:
            return changes[0].weight
        index = bisect_right(changes, position, key=lambda change: change.since)
        return changes[max(0, index - 1)].weight

    def request(self, position: int) -> Measured | None:
        """Of the request whose answer stands at `position`, or of the last one before."""
        index = bisect_right(self.requests, position, key=lambda request: request.position)
        return self.requests[index - 1] if index else None

    def model_factors(self, model: str) -> Factors:
        return dict(self.factors).get(model, ())

    def boundary(self, position: int) -> BoundarySize | None:
        return next((boundary for boundary in self.boundaries if boundary.position == position), None)

    @property
    def has_usual_window(self) -> bool:
        """Whether the client used the usual window, also for a model that takes more."""
        automatic = (boundary.before.weight.tokens for boundary in self.boundaries if boundary.is_automatic)
        largest = max((request.named + request.unrecorded for request in self.requests), default=0.0)
        return shows_usual_window(automatic, largest)

    def pack(self) -> bytes:
        rows = [_HEADER.pack(len(self.changes), len(self.requests), len(self.boundaries))]
        rows += [_pack_change(change) for change in self.changes]
        rows += [
            _REQUEST.pack(
                request.position,
                request.head.tokens,
                _BASES.index(request.head.basis),
                request.unrecorded,
                request.predicted,
                request.named,
                request.attached,
            )
            for request in self.requests
        ]
        rows += [_pack_boundary(boundary) for boundary in self.boundaries]
        rows.append(orjson.dumps(self.factors))
        return zstandard.ZstdCompressor(level=3).compress(b"".join(rows))

    @classmethod
    def unpack(cls, packed: bytes) -> WeightTable:
        data = zstandard.ZstdDecompressor().decompress(packed)
        changes, requests, boundaries = _HEADER.unpack_from(data)
        middle = _HEADER.size + changes * _CHANGE.size
        end = middle + requests * _REQUEST.size
        last = end + boundaries * _BOUNDARY.size
        return cls.make(
            tuple(_read_change(row) for row in _CHANGE.iter_unpack(data[_HEADER.size : middle])),
            tuple(
                Measured(position, Weight(head, _BASES[basis]), unrecorded, predicted, named, attached)
                for position, head, basis, unrecorded, predicted, named, attached in _REQUEST.iter_unpack(
                    data[middle:end]
                )
            ),
            tuple(_read_boundary(row) for row in _BOUNDARY.iter_unpack(data[end:last])),
            tuple((model, tuple(factors)) for model, factors in orjson.loads(data[last:])),
        )


def _pack_change(change: Change) -> bytes:
    key, weight = change.key, change.weight
    assert isinstance(key, PartKey)
    number = min(key.number, MOST_NUMBER)
    return _CHANGE.pack(change.since, key.position, number, key.size, weight.tokens, _BASES.index(weight.basis))


def _read_change(row: Sequence[float]) -> Change:
    since, position, number, size, tokens, basis = row
    key = PartKey(int(position), int(number), int(size))
    return Change(int(since), key, Weight(tokens, _BASES[int(basis)]))


def _pack_boundary(size: BoundarySize) -> bytes:
    return _BOUNDARY.pack(
        size.position,
        *_pack_link(size.link),
        *_pack_size(size.before),
        *_pack_link(size.after_link),
        *_pack_size(size.after),
        *_pack_weight(size.summary),
        size.is_automatic,
    )


def _pack_link(link: int | None) -> tuple[bool, int]:
    return link is not None, link or 0


def _pack_size(size: PromptSize | None) -> tuple[float, ...]:
    if size is None:
        return (*_pack_weight(None), *_pack_weight(None), 0.0)
    return (*_pack_weight(size.messages), *_pack_weight(size.head), size.unrecorded)


def _pack_weight(weight: Weight | None) -> tuple[float, int]:
    return (-1.0, 0) if weight is None else (weight.tokens, _BASES.index(weight.basis))


def _read_boundary(row: Sequence[float]) -> BoundarySize:
    before = _read_size(row[3:8])
    assert before is not None
    return BoundarySize(
        int(row[0]),
        _read_link(row[1:3]),
        before,
        _read_link(row[8:10]),
        _read_size(row[10:15]),
        _read_weight(row[15:17]),
        bool(row[17]),
    )


def _read_link(row: Sequence[float]) -> int | None:
    return int(row[1]) if row[0] else None


def _read_size(row: Sequence[float]) -> PromptSize | None:
    messages = _read_weight(row[:2])
    return None if messages is None else PromptSize(messages, _read_weight(row[2:4]), row[4])


def _read_weight(row: Sequence[float]) -> Weight | None:
    return None if row[0] < 0 else Weight(row[0], _BASES[int(row[1])])
