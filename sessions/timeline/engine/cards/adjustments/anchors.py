"""Anchors for links to records without a card: they lead to the next card instead of the top of the page."""

from __future__ import annotations

from dataclasses import replace

from sessions.timeline.engine.cards.card import Card


def anchor_position(cards: list[Card], position: int) -> list[Card]:
    """The cards, one of which has an anchor for `position`."""
    if not cards or any(position == card.position or position in card.rows for card in cards):
        return cards
    index = next((index for index, card in enumerate(cards) if card.position > position), len(cards) - 1)
    next_card = cards[index]
    return [
        *cards[:index],
        replace(next_card, rows=(*(next_card.rows or (next_card.position,)), position)),
        *cards[index + 1 :],
    ]
