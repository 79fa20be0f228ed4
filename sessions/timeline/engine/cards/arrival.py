"""Where a link arrives whose record has no card of its own: at the next one, so that nobody is left at the top."""

from __future__ import annotations

from dataclasses import replace

from sessions.timeline.engine.cards.card import Card


def with_arrival(cards: list[Card], position: int) -> list[Card]:
    """The cards of a window, one of which has an anchor for `position`."""
    if not cards or any(position == card.position or position in card.rows for card in cards):
        return cards
    index = next((index for index, card in enumerate(cards) if card.position > position), len(cards) - 1)
    met = cards[index]
    return [*cards[:index], replace(met, rows=(*(met.rows or (met.position,)), position)), *cards[index + 1 :]]
