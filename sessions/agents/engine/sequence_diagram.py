"""Coordinates of a sequence diagram: a lane for each agent, time downwards, an arrow for each message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sessions.agents.engine.mail import EVERYONE, MAIN, UNKNOWN, Mail

LANE = 168
"""Distance between lanes."""
ROW = 40
LEFT = 96
"""Room for the times before the first lane."""
HEAD = 44
CHARACTER = 6.2
"""Approximate width of a letter of a label."""
LABEL = 72
_EDGE = 84


@dataclass(frozen=True, slots=True)
class Lane:
    key: str
    x: int
    has_transcript: bool
    """True for the session, and for agents with a transcript."""
    name: str
    """Name of an agent without a transcript, if recorded."""


@dataclass(frozen=True, slots=True)
class Arrow:
    mail: Mail
    number: int
    y: int
    start: int
    end: int
    tip: str
    """Points of the arrow head."""
    label: int
    """Where its label begins."""
    room: int
    """How many letters of the label fit."""
    everyone: bool = False


@dataclass(frozen=True, slots=True)
class Lifeline:
    """The part of a lane from the first to the last message of its agent."""

    x: int
    top: int
    height: int


@dataclass(frozen=True, slots=True)
class SequenceDiagram:
    lanes: tuple[Lane, ...]
    arrows: tuple[Arrow, ...]
    lifelines: tuple[Lifeline, ...]
    width: int
    height: int
    head: int = HEAD


def draw_sequence(mails: Sequence[Mail], order: Sequence[str], first: int = 1) -> SequenceDiagram:
    """`order`: agents in the order of the tree. Lanes without messages are left out. `first`: the number of the first
    message, if these are one page of many."""
    lanes = _make_lanes(mails, order)
    lane_x = {lane.key: lane.x for lane in lanes}
    right = max(lane_x.values(), default=LEFT)
    width = right + _EDGE
    arrows = tuple(_make_arrow(mail, index, first, lane_x, right) for index, mail in enumerate(mails))
    return SequenceDiagram(lanes, arrows, _make_lifelines(arrows, lane_x), width, len(mails) * ROW + ROW // 2)


def _make_lanes(mails: Sequence[Mail], order: Sequence[str]) -> tuple[Lane, ...]:
    keys = dict.fromkeys(key for mail in mails for key in (mail.sender, mail.recipient) if key != EVERYONE)
    with_transcript = [key for key in (MAIN, *order) if key in keys or key == MAIN]
    others = [key for key in keys if key not in set(with_transcript)]
    return tuple(
        Lane(key, LEFT + LANE // 2 + LANE * index, not key.startswith(UNKNOWN), key.removeprefix(UNKNOWN))
        for index, key in enumerate([*with_transcript, *others])
    )


def _make_arrow(mail: Mail, index: int, first: int, lane_x: Mapping[str, int], right: int) -> Arrow:
    y = index * ROW + 30
    start = lane_x.get(mail.sender, LEFT)
    everyone = mail.recipient == EVERYONE
    end = right if everyone else lane_x.get(mail.recipient, start)
    if end == start:
        end = start + 24
    head_length = 7 if end > start else -7
    tip = f"{end},{y} {end - head_length},{y - 4} {end - head_length},{y + 4}"
    label = min(start, end) + 8
    room = min(LABEL, max(16, int((right + _EDGE - label - 8) / CHARACTER)))
    return Arrow(mail, first + index, y, start, end, tip, label, room, everyone)


def _make_lifelines(arrows: Sequence[Arrow], lane_x: Mapping[str, int]) -> tuple[Lifeline, ...]:
    spans: dict[str, tuple[int, int]] = {}
    for arrow in arrows:
        for key in (arrow.mail.sender, arrow.mail.recipient):
            if key in lane_x:
                top, _ = spans.get(key, (arrow.y, arrow.y))
                spans[key] = (top, arrow.y)
    return tuple(Lifeline(lane_x[key], top, max(8, bottom - top)) for key, (top, bottom) in spans.items())
