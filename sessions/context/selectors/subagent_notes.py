"""What a sub-agent was told that only the transcript of its session holds."""

from __future__ import annotations

from sessions.context.engine.client_versions import behaviour_of
from sessions.context.engine.rendering.subagent_notes import LISTS, SubagentNotes
from sessions.linking.engine.raw_fields import text
from sessions.linking.selectors import LinkRows
from sessions.models import Transcript


def load_subagent_notes(transcript: Transcript) -> SubagentNotes | None:
    """Two queries for a sub-agent of a version that tells it anything, and one more where its session is not known yet;
    none for all others."""
    main = transcript.parent if has_subagent_notes(transcript) else None
    if main is None or transcript.first_at is None:
        return None
    links = LinkRows(main.pk, main.source_id)
    rows = links.load_details(LISTS)
    known = [row.position for row in rows if row.at is not None and row.at <= transcript.first_at]
    links.fetch(known)
    return SubagentNotes.of(text(transcript.meta.get("agentType")), (links.record(position) for position in known))


def has_subagent_notes(transcript: Transcript) -> bool:
    """Does its context hold what only its session was told?"""
    habits = behaviour_of(transcript.version)
    return transcript.parent_id is not None and habits.has_system_role and not habits.records_wording
