"""Links a whole transcript again from its stored rows, when appended rows do more than extend the branch."""

from __future__ import annotations

from sessions.imports.services.writer import WriteCounts, write_marks
from sessions.linking.engine import link
from sessions.linking.selectors import LinkRows
from sessions.models import Transcript
from sessions.transcripts.engine.entry_ids import POSITION_MASK


def relink(transcript: Transcript, written: WriteCounts) -> None:
    links = LinkRows(transcript.pk, transcript.source_id)
    linked = link(links.with_records(links.load(0, POSITION_MASK)))
    write_marks(transcript.pk, linked.marks, written)
    transcript.state = {**transcript.state, "links": linked.state.to_json()}
    transcript.save(update_fields=["state"])
    written.add("transcript", 1)
