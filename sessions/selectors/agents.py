"""The sub-agents of a session as a tree: who started whom, and how that is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Q

from sessions.engine.flags import Flag
from sessions.engine.linking import AgentFacts, How, Sighting, agent_tree, sightings
from sessions.engine.place import POSITION_BITS, POSITION_MASK
from sessions.models import Entry, Mark, Transcript
from sessions.selectors.archive import Reader
from sessions.selectors.timeline import tool_ids

CALLS = ("Agent", "Task")
SIGHTED = 2_000
"""So many records are searched for ids of agents at the most."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One agent in the tree, with its depth below the session."""

    transcript: Transcript
    depth: int
    caller: Transcript
    call: int | None
    """Position of the call in the caller's transcript."""
    how: How

    @property
    def type(self) -> str:
        return _said(self.transcript, "agentType")

    @property
    def description(self) -> str:
        return _said(self.transcript, "description")


@dataclass(frozen=True, slots=True)
class Inline:
    """An agent whose records stand inside the session's own file."""

    first: int
    last: int
    call: int | None

    @property
    def entries(self) -> int:
        return self.last - self.first + 1


def _said(transcript: Transcript, name: str) -> str:
    value = transcript.meta.get(name)
    return value if isinstance(value, str) else ""


def agents_of(session: Transcript) -> list[Branch]:
    family = list(
        Transcript.objects.filter(parent=session).select_related("source").defer("state", "ruler").order_by("first_at")
    )
    by_id = {one.agent_id: one for one in family}
    files = [(session, ""), *((one, one.agent_id) for one in family)]
    calls: dict[str, tuple[str, int]] = {}
    seen: list[Sighting] = []
    for transcript, owner in files:
        reader = Reader(transcript.source_id)
        for entry in _telling(transcript):
            record = reader.record(entry.offset, entry.length)
            if entry.flags & Flag.CALL:
                calls |= dict.fromkeys(tool_ids(record), (owner, entry.position))
            else:
                seen += sightings(record, owner)
    tree = agent_tree([AgentFacts.of(one.agent_id, one.meta) for one in family], calls, seen)
    return [
        Branch(by_id[node.id], depth, by_id.get(node.parent, session), node.call, node.how)
        for depth, node in tree.walk()
    ]


def _telling(transcript: Transcript) -> Iterator[Entry]:
    """The records that can name an agent: calls that start one, their results, and notices of those that ended."""
    base = transcript.pk << POSITION_BITS
    rows = Entry.objects.filter(pk__gte=base, pk__lte=base | POSITION_MASK)
    calls = list(rows.filter(type="assistant", detail__in=CALLS)[:SIGHTED])
    yield from calls
    keys = [call.tool_key for call in calls if call.tool_key is not None]
    others = Q(type="queue-operation") | Q(type="attachment", detail="queued_command")
    if keys:
        others |= Q(type="user", tool_key__in=keys[:500])
    yield from rows.filter(others)[:SIGHTED]
    yield from _first_progress(rows.filter(type="progress", detail="agent_progress").order_by("pk")[:SIGHTED])


def _first_progress(entries: Iterable[Entry]) -> Iterator[Entry]:
    """An agent reports its progress hundreds of times: one per call is enough."""
    last = None
    for entry in entries:
        if entry.parent_key != last:
            yield entry
        last = entry.uuid_key


def inline_agents(session: Transcript) -> list[Inline]:
    marks = Mark.objects.filter(transcript=session, fate="sidechain").order_by("first")
    return [Inline(mark.first, mark.last, mark.by) for mark in marks]
