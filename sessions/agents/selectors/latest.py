"""The last records of each of many agents, to tell what they are doing."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.agents.selectors.tree import Agent
from sessions.models import Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.rows import Record
from sessions.transcripts.selectors.family import Family

COUNT = 12


def latest_of(session: Transcript, agents: Sequence[Agent], count: int = COUNT) -> dict[str, list[Record]]:
    """By the agents' keys, in file order. A query for every 500 records, and one for every 32 MB of the archive."""
    family = Family(session)
    owners = {
        one.transcript.pk << POSITION_BITS | position: one.key for one in agents for position in one.latest(count)
    }
    found: dict[str, list[Record]] = {one.key: [] for one in agents}
    for row, record in family.read_records(family.rows_at(owners)):
        found[owners[row.id]].append(record)
    return found
