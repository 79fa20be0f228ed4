"""A number of tokens, and how it is known."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Basis(StrEnum):
    """From the surest to the least sure. A sum is as sure as its least sure part."""

    MEASURED = "measured"
    """The API counted exactly this."""
    APPORTIONED = "apportioned"
    """The API counted the group that this is a part of; its share is estimated."""
    ESTIMATED = "estimated"
    """The API counted nothing that tells."""


class Weight(NamedTuple):
    tokens: float
    basis: Basis

    @property
    def mark(self) -> str:
        """Before the number, unless the API counted exactly this."""
        return "" if self.basis is Basis.MEASURED else "~"


_ORDER = (Basis.MEASURED, Basis.APPORTIONED, Basis.ESTIMATED)


def combine(weights: Iterable[Weight]) -> Weight:
    """A sum is as sure as the least sure of what it adds up."""
    tokens, least = 0.0, 0
    for weight in weights:
        tokens += weight.tokens
        least = max(least, _ORDER.index(weight.basis))
    return Weight(tokens, _ORDER[least])
