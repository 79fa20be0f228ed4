"""Cards as seen from one request: which of them the model still saw there, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sessions.context.engine.left_out import LeftOut, Reason
from sessions.timeline.engine.cards.badges import badge
from sessions.timeline.engine.cards.card import (
    Badge,
    Card,
    Kind,
    Sight,
)
from sessions.timeline.engine.cards.runs import without_repeats
from sessions.transcripts.engine.marks import Fate

_FATES = {
    Reason.SUMMARISED: Fate.SUMMARISED,
    Reason.SNIPPED: Fate.SNIPPED,
    Reason.CLEARED: Fate.CLEARED,
    Reason.PERSISTED: Fate.PERSISTED,
    Reason.COLLAPSED: Fate.COLLAPSED,
    Reason.ABANDONED: Fate.ABANDONED,
    Reason.SIDECHAIN: Fate.SIDECHAIN,
}
_PARTLY = (Reason.CLEARED, Reason.PERSISTED)
_SEEN = Badge(Sight.SEEN, "●", "in context", None)
_UNSENT = Badge(Sight.UNSENT, "·", "never sent", None)
_AHEAD = Badge(Sight.AHEAD, "○", "not yet there", None)


def seen_from(cards: Iterable[Card], left: Mapping[int, LeftOut], until: int) -> list[Card]:
    """`left`: what is left out, by position; `until`: the place of the request. Marks of later fates go."""
    return without_repeats([_seen(card, left, until) for card in cards])


def _seen(card: Card, left: Mapping[int, LeftOut], until: int) -> Card:
    if card.kind is Kind.CHIPS:
        chips = [replace(chip, sight=_marks([chip.position], left, until)[0].fate.value) for chip in card.chips]
        return replace(card, chips=tuple(chips))
    return replace(card, marks=_marks(card.rows, left, until))


def _marks(rows: Iterable[int], left: Mapping[int, LeftOut], until: int) -> tuple[Badge, ...]:
    mine = [left.get(row) for row in rows if row < until]
    if not mine:
        return (_AHEAD,)
    partly = [one for one in mine if one is not None and one.reason in _PARTLY]
    if partly or None in mine:
        return (_SEEN, *dict.fromkeys(map(_badge, partly)))
    # Of a boundary and what else one card may cover, what the model lost says more than what it never had.
    lost = [one for one in mine if one is not None and one.reason is not Reason.UNSENT]
    return (_badge(lost[0]) if lost else _UNSENT,)


def _badge(one: LeftOut) -> Badge:
    return replace(badge(_FATES[one.reason]), by=one.by)
