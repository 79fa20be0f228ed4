"""Cards as seen from one request: which of them the model still saw there, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason
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
    LeftOutReason.SUMMARISED: Fate.SUMMARISED,
    LeftOutReason.SNIPPED: Fate.SNIPPED,
    LeftOutReason.CLEARED: Fate.CLEARED,
    LeftOutReason.PERSISTED: Fate.PERSISTED,
    LeftOutReason.COLLAPSED: Fate.COLLAPSED,
    LeftOutReason.ABANDONED: Fate.ABANDONED,
    LeftOutReason.SIDECHAIN: Fate.SIDECHAIN,
}
_PARTLY = (LeftOutReason.CLEARED, LeftOutReason.PERSISTED)
_SEEN = Badge(Sight.SEEN, "●", "in context", None)
_UNSENT = Badge(Sight.UNSENT, "·", "never sent", None)
_AHEAD = Badge(Sight.AHEAD, "○", "not yet there", None)


def seen_from(cards: Iterable[Card], left: Mapping[int, LeftOutEntry], until: int) -> list[Card]:
    """`left`: what is left out, by position; `until`: the place of the request. Marks of later fates go."""
    return without_repeats([_seen(card, left, until) for card in cards])


def _seen(card: Card, left: Mapping[int, LeftOutEntry], until: int) -> Card:
    if card.kind is Kind.CHIPS:
        chips = [replace(chip, sight=_marks([chip.position], left, until)[0].fate.value) for chip in card.chips]
        return replace(card, chips=tuple(chips))
    return replace(card, marks=_marks(card.rows, left, until))


def _marks(rows: Iterable[int], left: Mapping[int, LeftOutEntry], until: int) -> tuple[Badge, ...]:
    mine = [left.get(row) for row in rows if row < until]
    if not mine:
        return (_AHEAD,)
    partly = [one for one in mine if one is not None and one.reason in _PARTLY]
    if partly or None in mine:
        return (_SEEN, *dict.fromkeys(map(_badge, partly)))
    # Of a boundary and what else one card may cover, what the model lost says more than what it never had.
    lost = [one for one in mine if one is not None and one.reason is not LeftOutReason.UNSENT]
    return (_badge(lost[0]) if lost else _UNSENT,)


def _badge(one: LeftOutEntry) -> Badge:
    return replace(badge(_FATES[one.reason]), by=one.by)
