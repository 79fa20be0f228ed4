"""The tokens of two contexts by what they are spent on. Estimates, like every count by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element, Piece
from sessions.context.engine.sizes import LABELS
from sessions.context.engine.tally import (
    Category,
    Tally,
    system_tally,
    tally_of,
)
from sessions.transcripts.engine.messages import Message


@dataclass(frozen=True, slots=True)
class Share:
    category: Category
    label: str
    before: int
    after: int

    @property
    def difference(self) -> int:
        return self.after - self.before


def tally_of_messages(messages: Sequence[Message], setup: RequestSetup | None = None) -> Tally:
    """`given`: what is sent beside them, as far as a record holds it."""
    elements = (
        Element(message.role, tuple(Piece(block, message) for block in message.content)) for message in messages
    )
    tally = tally_of(elements)
    return tally.plus(system_tally(setup.system, setup.tools)) if setup is not None else tally


def shares_of(before: Tally, after: Tally) -> list[Share]:
    """Of every category that either side has anything in."""
    pairs = zip(Category, before, after, strict=True)
    return [Share(category, LABELS[category], old, new) for category, old, new in pairs if old or new]
