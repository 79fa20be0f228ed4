"""The cards of a timeline: a window of records as plain data for templates."""

from __future__ import annotations

from sessions.timeline.engine.cards.build import build_cards
from sessions.timeline.engine.cards.card import (
    Badge,
    Card,
    CardKind,
    Changes,
    Chip,
    Fold,
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
from sessions.timeline.engine.cards.pictures import load_image

__all__ = [
    "Badge",
    "Card",
    "CardKind",
    "Changes",
    "Chip",
    "Fold",
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
    "build_cards",
    "load_image",
]
