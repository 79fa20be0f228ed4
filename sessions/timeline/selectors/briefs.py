"""Entries in a line each, for pages that list them: one query, and no more bytes than such a page is worth."""

from __future__ import annotations

from collections.abc import Iterable

from sessions.archive.selectors.records import fetch_all
from sessions.linking.selectors import LinkRows
from sessions.secrets.engine import mask
from sessions.timeline.engine.cards.brief import Brief, brief
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Row

BYTES = 4 * 1024 * 1024
"""Of all records together: beyond it only their types are told."""


def briefs_of(links: LinkRows, positions: Iterable[int]) -> dict[int, Brief]:
    """By position. Their rows have to be loaded."""
    found: dict[int, Brief] = {}
    wanted, room = [], BYTES
    for position in sorted(set(positions)):
        length = links.locations[position][1]
        if length > room:
            found[position] = Brief(links.rows[position].type.capitalize(), "")
        else:
            wanted.append(position)
            room -= length
    fetch_all(((links.reader, *links.locations[position]) for position in wanted), ahead=0)
    return found | {position: brief(_row(links, position), mask) for position in wanted}


def _row(links: LinkRows, position: int) -> Row:
    row, place = links.rows[position], links.locations[position]
    record, damage = links.reader.try_record(*place)
    return Row(position, *place, row.type, row.detail, row.at, 0, Flag(row.flags), record, damage=damage)
