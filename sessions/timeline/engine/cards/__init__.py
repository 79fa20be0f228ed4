"""The timeline's cards: what a window of records looks like to a reader, as plain data."""

from __future__ import annotations

from sessions.timeline.engine.cards.build import build
from sessions.timeline.engine.cards.card import (
    Badge,
    Card,
    Changes,
    Chip,
    Fold,
    Kind,
    Link,
    Links,
    Output,
    Pairs,
    Part,
    Picture,
    Pictures,
    Plain,
    Prose,
    Question,
    Questions,
    Spill,
    Todo,
    Todos,
)
from sessions.timeline.engine.cards.pictures import load

__all__ = [
    "Badge",
    "Card",
    "Changes",
    "Chip",
    "Fold",
    "Kind",
    "Link",
    "Links",
    "Output",
    "Pairs",
    "Part",
    "Picture",
    "Pictures",
    "Plain",
    "Prose",
    "Question",
    "Questions",
    "Spill",
    "Todo",
    "Todos",
    "build",
    "load",
]
