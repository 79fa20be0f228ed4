"""Progress that was written late. Some versions keep what hooks and sub-agents report during a turn, and write it only
when the next prompt comes: as a chain that begins at the call and ends with that prompt. By the parents alone,
everything after the call would seem to be abandoned."""

from __future__ import annotations

from dataclasses import dataclass, field

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SIDECHAIN, _RESULT = int(Flag.SIDECHAIN), int(Flag.RESULT)


@dataclass(slots=True)
class LateProgress:
    _progress: dict[int, bool] = field(default_factory=dict)
    """uuid -> was it written late?"""
    _prompts: dict[int, int | None] = field(default_factory=dict)
    """The time of each message of the user -> what it follows."""

    def feed(self, row: LinkRow, latest: LinkRow | None, parent: int | None) -> None:
        """`latest`: the newest row of the conversation; `parent`: what the row follows."""
        if row.flags & _SIDECHAIN or row.at is None:
            return
        if row.type == "user" and not row.flags & _RESULT:
            self._prompts.setdefault(row.at, parent)
        elif row.type == "progress" and row.uuid is not None:
            is_older = latest is not None and latest.at is not None and row.at < latest.at
            late = is_older and latest is not None and row.parent != latest.uuid
            self._progress[row.uuid] = late or self._progress.get(row.parent or 0, False)

    def parent_of(self, row: LinkRow, latest: LinkRow | None) -> int | None:
        """What a row follows: the newest row of the conversation, if its parent is late progress. A row that was
        written again follows what it followed before."""
        late = self._progress.get(row.parent) if row.parent is not None else None
        if late is None or row.type == "progress" or row.flags & _SIDECHAIN or latest is None:
            return row.parent
        if row.at is not None and latest.at is not None and row.at < latest.at and row.at in self._prompts:
            return self._prompts[row.at]
        return latest.uuid if late else row.parent
