"""Entries in one line each, for pages that list them: one query, and a limited number of bytes."""

from __future__ import annotations

from collections.abc import Iterable

from sessions.archive.selectors.records import fetch_all
from sessions.linking.selectors import LinkRows
from sessions.secrets.engine import mask
from sessions.timeline.engine.cards.brief import Brief, make_brief
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Row

BYTES = 4 * 1024 * 1024
"""Of all records together. Beyond it, only the type of a record is shown."""


def briefs_of(links: LinkRows, positions: Iterable[int]) -> dict[int, Brief]:
    """By position. The rows must be loaded in `links`."""
    briefs: dict[int, Brief] = {}
    readable, room = [], BYTES
    for position in sorted(set(positions)):
        length = links.locations[position][1]
        if length > room:
            briefs[position] = Brief(links.rows[position].type.capitalize(), "")
        else:
            readable.append(position)
            room -= length
    fetch_all(((links.reader, *links.locations[position]) for position in readable), ahead=0)
    return briefs | {position: make_brief(_row(links, position), mask) for position in readable}


def _row(links: LinkRows, position: int) -> Row:
    row, place = links.rows[position], links.locations[position]
    record, damage = links.reader.try_record(*place)
    return Row(position, *place, row.type, row.detail, row.at, 0, Flag(row.flags), record, damage=damage)
