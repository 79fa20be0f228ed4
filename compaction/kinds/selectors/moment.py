"""The moment of a session at which to compact, if that is not its end."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.archive.selectors.records import Reader
from sessions.context.selectors.boundaries import point_before
from sessions.context.selectors.contexts import ContextPoint, point_after
from sessions.models import Entry, Transcript
from sessions.timeline.selectors.entries import find_entry


@dataclass(frozen=True, slots=True)
class Moment:
    transcript: Transcript
    """That the entry belongs to: the session's own, or a sub-agent's."""
    entry: Entry
    point: ContextPoint

    @property
    def is_before(self) -> bool:
        """Right before the entry if that is a compaction by the agent, otherwise right after it."""
        return self.point.position == self.entry.position

    @property
    def title(self) -> str:
        return f"right {'before' if self.is_before else 'after'} entry {self.entry.position}"


def find_moment(transcript: Transcript, address: str) -> Moment:
    """`address`: of an entry, as in its permalink. For a compaction by the agent, it is the moment of that compaction,
    so that the two can be compared. Raises Http404 if there is no such entry."""
    owner, entry = find_entry(transcript, address)
    if entry.detail != "compact_boundary":
        return Moment(owner, entry, point_after(entry))
    record = Reader(owner.source_id).record(entry.offset, entry.length)
    return Moment(owner, entry, point_before(owner, entry, record))
