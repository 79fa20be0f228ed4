"""What a sub-agent was sent that only the transcript of its session holds."""

from __future__ import annotations

from sessions.context.engine.client_versions import behaviour_of
from sessions.context.engine.rendering.subagent_notes import NOTES, SubagentNotes, prompt_of_agent
from sessions.linking.engine.raw_fields import text
from sessions.linking.selectors import LinkRows
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS, POSITION_MASK


def load_subagent_notes(transcript: Transcript) -> SubagentNotes | None:
    """Two queries for a sub-agent whose version sends such notes, one more if its session is not loaded; none for all
    others."""
    main = transcript.parent if has_subagent_notes(transcript) else None
    if main is None or transcript.first_at is None:
        return None
    links = LinkRows(main.pk, main.source_id)
    if not behaviour_of(transcript.version).records_subagent_prompt:
        return SubagentNotes("", {}, _load_prompt(transcript.agent_id, main, links))
    rows = links.load_details(NOTES)
    positions = [row.position for row in rows if row.at is not None and row.at <= transcript.first_at]
    links.fetch(positions)
    return SubagentNotes.of(text(transcript.meta.get("agentType")), (links.record(position) for position in positions))


def has_subagent_notes(transcript: Transcript) -> bool:
    """Does its context hold notes that are only in the transcript of its session?"""
    behaviour = behaviour_of(transcript.version)
    has_notes = behaviour.has_system_role and not behaviour.records_subagent_notes
    return transcript.parent_id is not None and (has_notes or not behaviour.records_subagent_prompt)


def _load_prompt(agent: str, main: Transcript, links: LinkRows) -> str:
    base = main.pk << POSITION_BITS
    calls = Entry.objects.filter(pk__range=(base, base | POSITION_MASK), type="assistant", detail="Task")
    tools = {tool for tool in calls.values_list("tool_key", flat=True) if tool is not None}
    rows = [row for row in links.load_keys("tool_key", tools, before=POSITION_MASK) if row.type == "user"]
    positions = [row.position for row in rows]
    links.fetch(positions)
    all_ended = {row.tool for row in rows} == tools
    return prompt_of_agent(agent, (links.record(position) for position in positions), all_ended=all_ended)
