"""Messages between agents as a picture: a lane for each, time downwards, an arrow for each message. Numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass

from sessions.agents.engine.mail import (
    EVERYONE,
    MAIN,
    NAMED,
    Mail,
)

LANE = 168
"""From one lane to the next."""
ROW = 40
LEFT = 96
"""Before the first lane: the times."""
HEAD = 44
CHARACTER = 6.2
"""The width of a letter of a label, about."""
LABEL = 72
_EDGE = 84


@dataclass(frozen=True, slots=True)
class Lane:
    key: str
    x: int
    known: bool
    """Whether it is the session or one of the agents that we have a transcript of."""
    name: str
    """Of somebody without one; empty if nobody knows who."""


@dataclass(frozen=True, slots=True)
class Arrow:
    mail: Mail
    number: int
    y: int
    start: int
    end: int
    tip: str
    """The points of its head."""
    label: int
    """Where its words begin."""
    room: int
    """How many letters of them fit."""
    everyone: bool = False


@dataclass(frozen=True, slots=True)
class Life:
    """A stretch of a lane in which its agent wrote or was written to."""

    x: int
    top: int
    height: int


@dataclass(frozen=True, slots=True)
class Sequence:
    lanes: tuple[Lane, ...]
    arrows: tuple[Arrow, ...]
    lives: tuple[Life, ...]
    width: int
    height: int
    head: int = HEAD


def sequence(mails: Many[Mail], order: Many[str], first: int = 1) -> Sequence:
    """`order`: the agents as the tree has them. Lanes that no message touches are left out. `first`: the number of
    the first message, where these are some of many."""
    lanes = _lanes(mails, order)
    places = {lane.key: lane.x for lane in lanes}
    right = max(places.values(), default=LEFT)
    width = right + _EDGE
    arrows = tuple(_arrow(mail, at, first, places, right) for at, mail in enumerate(mails))
    return Sequence(lanes, arrows, _lives(arrows, places), width, len(mails) * ROW + ROW // 2)


def _lanes(mails: Many[Mail], order: Many[str]) -> tuple[Lane, ...]:
    met = dict.fromkeys(key for mail in mails for key in (mail.sender, mail.recipient) if key != EVERYONE)
    known = [key for key in (MAIN, *order) if key in met or key == MAIN]
    others = [key for key in met if key not in set(known)]
    return tuple(
        Lane(key, LEFT + LANE // 2 + LANE * at, not key.startswith(NAMED), key.removeprefix(NAMED))
        for at, key in enumerate([*known, *others])
    )


def _arrow(mail: Mail, at: int, first: int, places: Mapping[str, int], right: int) -> Arrow:
    y = at * ROW + 30
    start = places.get(mail.sender, LEFT)
    everyone = mail.recipient == EVERYONE
    end = right if everyone else places.get(mail.recipient, start)
    if end == start:
        end = start + 24
    back = 7 if end > start else -7
    tip = f"{end},{y} {end - back},{y - 4} {end - back},{y + 4}"
    label = min(start, end) + 8
    room = min(LABEL, max(16, int((right + _EDGE - label - 8) / CHARACTER)))
    return Arrow(mail, first + at, y, start, end, tip, label, room, everyone)


def _lives(arrows: Many[Arrow], places: Mapping[str, int]) -> tuple[Life, ...]:
    spans: dict[str, tuple[int, int]] = {}
    for arrow in arrows:
        for key in (arrow.mail.sender, arrow.mail.recipient):
            if key in places:
                top, _ = spans.get(key, (arrow.y, arrow.y))
                spans[key] = (top, arrow.y)
    return tuple(Life(places[key], top, max(8, bottom - top)) for key, (top, bottom) in spans.items())
