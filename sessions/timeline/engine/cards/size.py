"""How many bytes of a page a card's texts come to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sessions.timeline.engine.cards.card import (
    Card,
    Changes,
    Fold,
    Links,
    Output,
    Pairs,
    Part,
    Pictures,
    Plain,
    Prose,
    Questions,
    Spill,
    Todos,
)

_ELEMENT = 40
"""Bytes of the markup around a short text."""


_FRAME = 440
_MARK = 70
_MORE = 330
"""Of the link to the whole: it stands in two addresses."""
_REQUEST = 110
"""Of the link to the request, beside its id."""
_TURN = 450
"""Of the line above the cards of a turn."""


def frame(card: Card) -> int:
    marks = sum(_MARK if mark.repeated else 3 * _MARK for mark in card.marks)
    words = _bytes(card.title) + sum(map(_bytes, card.facts))
    request = _REQUEST + len(card.message_id) if card.message_id else 0
    return _FRAME + marks + words + request + (_MORE if card.cut else 0)


def frames(cards: Sequence[Card]) -> int:
    return sum(map(frame, cards)) + _TURN * len({card.turn for card in cards})


def texts(card: Card) -> int:
    chips = sum(_bytes(chip.label) + _bytes(chip.detail) + 4 * _ELEMENT for chip in card.chips)
    return _bytes(card.summary) + chips + sum(map(_part, card.parts))


def _part(part: Part) -> int:
    match part:
        case Prose():
            return _encoded(part.html)
        case Plain(text) | Output(text):
            return _bytes(text) + _ELEMENT
        case Changes(diff):
            return sum(_bytes(line.text) + _ELEMENT // 2 for hunk in diff.hunks for line in hunk.lines)
        case Todos(items):
            return sum(_bytes(todo.text) + _ELEMENT // 2 for todo in items)
        case Pairs(items):
            return sum(_bytes(name) + _bytes(value) + _ELEMENT // 2 for name, value in items)
        case Questions(items):
            return sum(
                _bytes(one.text) + sum(map(_bytes, one.options)) + _bytes(one.answer) + _ELEMENT for one in items
            )
        case Links(items):
            return sum(_bytes(link.title) + _bytes(link.url) + 2 * _ELEMENT for link in items)
        case Pictures(items):
            return 8 * _ELEMENT * len(items)
        case Spill():
            return 4 * _ELEMENT
        case Fold(title, parts):
            return _bytes(title) + _ELEMENT + sum(map(_part, parts))


def _bytes(text: str) -> int:
    return _encoded(escape(text))


def _encoded(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
