"""Badges say in a symbol and words what became of a card's records, and which record caused it."""

from __future__ import annotations

from sessions.timeline.engine.cards.card import Badge
from sessions.transcripts.engine.marks import Fate, Mark
from sessions.transcripts.engine.rows import Row

_WORDS: dict[Fate, tuple[str, str]] = {
    Fate.SUMMARISED: ("▨", "in summary"),
    Fate.KEPT: ("▮", "kept word for word"),
    Fate.SNIPPED: ("✂", "snipped"),
    Fate.CLEARED: ("☐", "cleared, original here"),
    Fate.PERSISTED: ("⛁", "on disk, preview only"),
    Fate.COLLAPSED: ("≣", "collapsed"),
    Fate.ABANDONED: ("⎇", "abandoned branch"),
    Fate.SIDECHAIN: ("⎇", "sub-agent"),
}


def badges_of(*rows: Row | None) -> tuple[Badge, ...]:
    """One badge for each fate of these records, in the order of `Fate`."""
    badge_by_fate: dict[Fate, Badge] = {}
    for row in rows:
        for mark in row.marks if row else ():
            badge_by_fate.setdefault(mark.fate, _mark_badge(mark, row.position if row else 0))
    return tuple(badge_by_fate[fate] for fate in Fate if fate in badge_by_fate)


def fate_badge(fate: Fate) -> Badge:
    symbol, words = _WORDS[fate]
    return Badge(fate, symbol, words, None)


def _mark_badge(mark: Mark, position: int) -> Badge:
    symbol, words = _WORDS[mark.fate]
    if mark.fate is Fate.SUMMARISED and mark.by is not None:
        words += " ↓" if mark.by > position else " ↑"
    return Badge(mark.fate, symbol, words, mark.by)
