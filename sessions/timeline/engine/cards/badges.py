"""The marks of a card in words and symbols: what became of it, and because of which record."""

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


def badges(*rows: Row | None) -> tuple[Badge, ...]:
    """One badge a fate, in the order of the table, for all the records of a card."""
    found: dict[Fate, Badge] = {}
    for row in rows:
        for mark in row.marks if row else ():
            found.setdefault(mark.fate, _badge(mark, row.position if row else 0))
    return tuple(found[fate] for fate in Fate if fate in found)


def badge(fate: Fate) -> Badge:
    symbol, words = _WORDS[fate]
    return Badge(fate, symbol, words, None)


def _badge(mark: Mark, position: int) -> Badge:
    symbol, words = _WORDS[mark.fate]
    if mark.fate is Fate.SUMMARISED and mark.by is not None:
        words += " ↓" if mark.by > position else " ↑"
    return Badge(mark.fate, symbol, words, mark.by)
