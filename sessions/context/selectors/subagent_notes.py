"""What a sub-agent was sent that only the transcript of its session holds."""

from __future__ import annotations

from sessions.context.engine.client_versions import behaviour_of
from sessions.context.engine.rendering.subagent_notes import LISTS, SubagentNotes
from sessions.linking.engine.raw_fields import text
from sessions.linking.selectors import LinkRows
from sessions.models import Transcript


def load_subagent_notes(transcript: Transcript) -> SubagentNotes | None:
    """Two queries for a sub-agent whose version sends such notes, one more if its session is not loaded; none for all
    others."""
    main = transcript.parent if has_subagent_notes(transcript) else None
    if main is None or transcript.first_at is None:
        return None
    links = LinkRows(main.pk, main.source_id)
    rows = links.load_details(LISTS)
    positions = [row.position for row in rows if row.at is not None and row.at <= transcript.first_at]
    links.fetch(positions)
    return SubagentNotes.of(text(transcript.meta.get("agentType")), (links.record(position) for position in positions))


def has_subagent_notes(transcript: Transcript) -> bool:
    """Does its context hold notes that are only in the transcript of its session?"""
    behaviour = behaviour_of(transcript.version)
    return transcript.parent_id is not None and behaviour.has_system_role and not behaviour.records_wording
