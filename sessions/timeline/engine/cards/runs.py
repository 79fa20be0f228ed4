"""Runs of cards with the same fate: the first says it, the others only show the mark."""

from __future__ import annotations

from dataclasses import replace

from sessions.timeline.engine.cards.card import Badge, Card, Kind


def without_repeats(cards: list[Card]) -> list[Card]:
    """The cards with those badges called repeated that the card before has too. Lines of chips are no cards here."""
    told: list[Card] = []
    before: set[tuple[object, int | None]] = set()
    for card in cards:
        if card.kind is Kind.CHIPS:
            told.append(card)
            continue
        marks = tuple(replace(mark, repeated=True) if _fate(mark) in before else mark for mark in card.marks)
        told.append(replace(card, marks=marks) if marks != card.marks else card)
        before = {_fate(mark) for mark in card.marks}
    return told


def _fate(mark: Badge) -> tuple[object, int | None]:
    return mark.fate, mark.by
