"""What a sub-agent was told that only the transcript of its session holds."""

from __future__ import annotations

from sessions.engine.context.habits import habits_of
from sessions.engine.context.inherited import LISTS, Inherited
from sessions.engine.linking.extras import text
from sessions.models import Transcript
from sessions.selectors.links import Links


def inherited_of(transcript: Transcript) -> Inherited | None:
    """Three queries for a sub-agent of a version that tells it anything; none for all others."""
    habits = habits_of(transcript.version)
    if transcript.parent_id is None or transcript.first_at is None or not habits.system_role or habits.writes_words:
        return None
    main = Transcript.objects.only("source_id").get(pk=transcript.parent_id)
    links = Links(main.pk, main.source_id)
    rows = links.load_details(LISTS)
    known = [row.position for row in rows if row.at is not None and row.at <= transcript.first_at]
    links.fetch(known)
    return Inherited.of(text(transcript.meta.get("agentType")), (links.record(position) for position in known))
