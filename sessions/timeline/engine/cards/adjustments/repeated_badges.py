"""In a run of cards with the same fate, only the first shows it in words."""

from __future__ import annotations

from dataclasses import replace

from sessions.timeline.engine.cards.card import Badge, Card, CardKind


def mark_repeated_badges(cards: list[Card]) -> list[Card]:
    """Marks badges that the card above has too. Lines of chips in between do not count."""
    marked_cards: list[Card] = []
    previous_fates: set[tuple[object, int | None]] = set()
    for card in cards:
        if card.kind is CardKind.CHIPS:
            marked_cards.append(card)
            continue
        marks = tuple(
            replace(mark, repeated=True) if _fate_key(mark) in previous_fates else mark for mark in card.marks
        )
        marked_cards.append(replace(card, marks=marks) if marks != card.marks else card)
        previous_fates = {_fate_key(mark) for mark in card.marks}
    return marked_cards


def _fate_key(mark: Badge) -> tuple[object, int | None]:
    return mark.fate, mark.by
