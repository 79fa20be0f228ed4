"""Marks which cards the model still saw in a request, and why it did not see the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason
from sessions.timeline.engine.cards.adjustments.repeated_badges import mark_repeated_badges
from sessions.timeline.engine.cards.badges import fate_badge
from sessions.timeline.engine.cards.card import Badge, Card, CardKind, Visibility
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
_SEEN = Badge(Visibility.SEEN, "●", "in context", None)
_UNSENT = Badge(Visibility.UNSENT, "·", "never sent", None)
_AHEAD = Badge(Visibility.AHEAD, "○", "not yet there", None)


def mark_visibility(cards: Iterable[Card], left_out: Mapping[int, LeftOutEntry], until: int) -> list[Card]:
    """`left_out`: by position. `until`: position of the request. Badges of later fates are removed."""
    return mark_repeated_badges([_mark_card(card, left_out, until) for card in cards])


def _mark_card(card: Card, left_out: Mapping[int, LeftOutEntry], until: int) -> Card:
    if card.kind is CardKind.CHIPS:
        chips = [
            replace(chip, visibility=_badges([chip.position], left_out, until)[0].fate.value) for chip in card.chips
        ]
        return replace(card, chips=tuple(chips))
    return replace(card, marks=_badges(card.rows, left_out, until))


def _badges(rows: Iterable[int], left_out: Mapping[int, LeftOutEntry], until: int) -> tuple[Badge, ...]:
    reasons = [left_out.get(row) for row in rows if row < until]
    if not reasons:
        return (_AHEAD,)
    partly = [entry for entry in reasons if entry is not None and entry.reason in _PARTLY]
    if partly or None in reasons:
        return (_SEEN, *dict.fromkeys(map(_fate_badge, partly)))
    # If a card covers several records, one that the model lost says more than one that it never had.
    lost = [entry for entry in reasons if entry is not None and entry.reason is not LeftOutReason.UNSENT]
    return (_fate_badge(lost[0]) if lost else _UNSENT,)


def _fate_badge(entry: LeftOutEntry) -> Badge:
    return replace(fate_badge(_FATES[entry.reason]), by=entry.by)
