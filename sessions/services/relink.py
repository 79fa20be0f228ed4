"""Links a whole transcript anew from its stored rows: when what was appended does more than extend the branch."""

from __future__ import annotations

from django.db import connection

from sessions.engine.flags import Flag
from sessions.engine.linking import LinkRow, LinkState, link, needs_record
from sessions.models import POSITION_BITS, Transcript
from sessions.selectors.archive import Reader
from sessions.services.writer import Written, write_marks

_MASK = (1 << POSITION_BITS) - 1


def link_rows(transcript_id: int, source_id: int) -> list[LinkRow]:
    reader = Reader(source_id)
    base = transcript_id << POSITION_BITS
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT id, type, detail, uuid_key, parent_key, message_key, tool_key, flags, "offset", length'
            " FROM transcripts_entry WHERE id >= %s AND id <= %s ORDER BY id",
            [base, base | _MASK],
        )
        rows = cursor.fetchall()
    needed = [(row[8], row[9]) for row in rows if needs_record(row[1], row[2], Flag(row[7]))]
    extras = {place: reader.record(*place) for place in needed}
    return [LinkRow(row[0] & _MASK, *row[1:7], Flag(row[7]), extras.get((row[8], row[9]))) for row in rows]


def relink(transcript: Transcript, written: Written) -> None:
    rows = link_rows(transcript.pk, transcript.source_id)
    linked = link(rows)
    with connection.cursor() as cursor:
        write_marks(cursor, written, transcript.pk, linked.marks)
    transcript.state = {**transcript.state, "links": LinkState.of(rows, linked).to_json()}
    transcript.save(update_fields=["state"])
    written.add("transcript", 1)
