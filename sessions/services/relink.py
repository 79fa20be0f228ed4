"""Links a whole transcript anew from its stored rows: when what was appended does more than extend the branch."""

from __future__ import annotations

from django.db import connection
from msgspec.structs import replace

from sessions.engine.linking import LinkRow, link, records_wanted
from sessions.engine.place import POSITION_BITS, POSITION_MASK
from sessions.models import Transcript
from sessions.selectors.archive import Reader
from sessions.services.writer import Written, write_marks


def link_rows(transcript_id: int, source_id: int) -> list[LinkRow]:
    base = transcript_id << POSITION_BITS
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT id, type, detail, uuid_key, parent_key, message_key, tool_key, flags, at, "offset", length'
            " FROM transcripts_entry WHERE id >= %s AND id <= %s ORDER BY id",
            [base, base | POSITION_MASK],
        )
        found = cursor.fetchall()
    rows = [
        LinkRow(pk & POSITION_MASK, kind, detail, uuid, parent, message, tool, flags, None, at)
        for pk, kind, detail, uuid, parent, message, tool, flags, at, _, _ in found
    ]
    # Positions are dense, so a row's position is its place in the list.
    places = {position: (found[position][9], found[position][10]) for position in records_wanted(rows)}
    records = Reader(source_id).records(list(places.values()))
    for position, record in zip(places, records, strict=True):
        rows[position] = replace(rows[position], extra=record)
    return rows


def relink(transcript: Transcript, written: Written) -> None:
    rows = link_rows(transcript.pk, transcript.source_id)
    linked = link(rows)
    write_marks(transcript.pk, linked.marks, written)
    transcript.state = {**transcript.state, "links": linked.state.to_json()}
    transcript.save(update_fields=["state"])
    written.add("transcript", 1)
