"""Links a whole transcript anew from its stored rows: when what was appended does more than extend the branch."""

from __future__ import annotations

from sessions.engine.linking import link
from sessions.engine.place import POSITION_MASK
from sessions.models import Transcript
from sessions.selectors.links import Links
from sessions.services.writer import Written, write_marks


def relink(transcript: Transcript, written: Written) -> None:
    links = Links(transcript.pk, transcript.source_id)
    linked = link(links.with_records(links.load(0, POSITION_MASK)))
    write_marks(transcript.pk, linked.marks, written)
    transcript.state = {**transcript.state, "links": linked.state.to_json()}
    transcript.save(update_fields=["state"])
    written.add("transcript", 1)
