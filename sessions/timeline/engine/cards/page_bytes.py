"""Estimates how many bytes of a page a card takes."""

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
"""Bytes of markup around a short text."""


_FRAME = 440
_MARK = 70
_MORE = 330
"""The link to the whole text, which holds its address twice."""
_REQUEST = 110
"""The link to the request, without its id."""
_TURN = 450
"""The line above the cards of a turn."""


def frame_bytes(card: Card) -> int:
    marks = sum(_MARK if mark.repeated else 3 * _MARK for mark in card.marks)
    words = _escaped_bytes(card.title) + sum(map(_escaped_bytes, card.facts))
    request = _REQUEST + len(card.message_id) if card.message_id else 0
    return _FRAME + marks + words + request + (_MORE if card.cut else 0)


def frames_bytes(cards: Sequence[Card]) -> int:
    return sum(map(frame_bytes, cards)) + _TURN * len({card.turn for card in cards})


def text_bytes(card: Card) -> int:
    chips = sum(_escaped_bytes(chip.label) + _escaped_bytes(chip.detail) + 4 * _ELEMENT for chip in card.chips)
    return _escaped_bytes(card.summary) + chips + sum(map(_part_bytes, card.parts))


def _part_bytes(part: Part) -> int:
    match part:
        case Prose():
            return _encoded_bytes(part.html)
        case Plain(text) | Output(text):
            return _escaped_bytes(text) + _ELEMENT
        case Changes(diff):
            return sum(_escaped_bytes(line.text) + _ELEMENT // 2 for hunk in diff.hunks for line in hunk.lines)
        case Todos(items):
            return sum(_escaped_bytes(todo.text) + _ELEMENT // 2 for todo in items)
        case Pairs(items):
            return sum(_escaped_bytes(name) + _escaped_bytes(value) + _ELEMENT // 2 for name, value in items)
        case Questions(items):
            return sum(
                _escaped_bytes(question.text)
                + sum(map(_escaped_bytes, question.options))
                + _escaped_bytes(question.answer)
                + _ELEMENT
                for question in items
            )
        case Links(items):
            return sum(_escaped_bytes(link.title) + _escaped_bytes(link.url) + 2 * _ELEMENT for link in items)
        case Pictures(items):
            return 8 * _ELEMENT * len(items)
        case Spill():
            return 4 * _ELEMENT
        case Fold(title, parts):
            return _escaped_bytes(title) + _ELEMENT + sum(map(_part_bytes, parts))


def _escaped_bytes(text: str) -> int:
    return _encoded_bytes(escape(text))


def _encoded_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
