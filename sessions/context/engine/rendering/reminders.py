"""When a client reminds a sub-agent of its task tools: after ten records of answers without using one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sessions.context.engine.chain.segments import Segment
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

TASK_TOOLS = frozenset({"TaskCreate", "TaskUpdate"})
_INTERVAL = 10
_THINKING = int(Flag.THINKING)


@dataclass(slots=True)
class TaskReminders:
    _since: list[int] = field(default_factory=list)
    """For each segment: records of answers since the last reminder or use; a reminder starts the next count at 0."""

    def advance(self, segments: Sequence[Segment], same: int, rows: Mapping[int, LinkRow]) -> None:
        del self._since[same:]
        for segment in segments[same:]:
            since = self._since[-1] if self._since else 0
            since = 0 if since >= _INTERVAL else since
            for position in segment.answer:
                since = 0 if rows[position].detail in TASK_TOOLS else since + (not rows[position].flags & _THINKING)
            self._since.append(since)

    def is_due(self, index: int) -> bool:
        return self._since[index] >= _INTERVAL
