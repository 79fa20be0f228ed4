"""What belongs to an answer, wherever in the file it stands: its records, and the results of its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sessions.context.engine.chain.copies import Copies, OnChain, one_of_each
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_ERROR, _CALL, _RESULT = int(Flag.ERROR), int(Flag.CALL), int(Flag.RESULT)
_NOTES = 100
"""So many notes may stand between two records of an answer."""


@dataclass(slots=True)
class Owned:
    rows: Mapping[int, LinkRow]
    at: Mapping[int, int]
    """uuid -> position."""
    stale: set[int]
    """Answers that something came to."""
    _answers: dict[int, list[int]] = field(default_factory=dict)
    _calls: dict[int, int] = field(default_factory=dict)
    _results: dict[int, list[int]] = field(default_factory=dict)
    _early: dict[int, list[int]] = field(default_factory=dict)
    """Tool -> results that came before its call."""
    _copies: Copies = field(default_factory=Copies)

    def positions(self, message: int, on_chain: OnChain) -> tuple[list[int], list[int]]:
        """Its records, and the results of its calls, both in file order."""
        answer, results = sorted(self._answers.get(message, ())), sorted(self._results.get(message, ()))
        if message not in self._copies:
            return answer, results
        return self._copies.mine(message, answer, on_chain), one_of_each(results, self.rows, on_chain)

    def feed_answer(self, row: LinkRow) -> bool:
        """Returns whether results of it had come before, so that contexts are no longer what they were."""
        if row.message is None:
            return False
        early = False
        written = self._answers.setdefault(row.message, [])
        if written and row.parent != self.rows[written[-1]].uuid and not self._goes_on(row):
            self._copies.begin(row.message, row.position)
        written.append(row.position)
        if row.tool is not None and row.flags & _CALL:
            self._calls.setdefault(row.tool, row.message)
            if row.tool in self._early:
                self._results.setdefault(row.message, []).extend(self._early.pop(row.tool))
                early = True
        self.stale.add(row.message)
        return early

    def feed_result(self, row: LinkRow, tool: int) -> None:
        message = self._calls.get(tool)
        if message is None:
            message = self._asked_in(row.parent)
            if message is None:
                self._early.setdefault(tool, []).append(row.position)
                return
            self._calls[tool] = message
        self._results.setdefault(message, []).append(row.position)
        self.stale.add(message)

    def _goes_on(self, row: LinkRow) -> bool:
        """Does it follow what was written of the same answer before, or results of its calls?"""
        above = row.parent
        for _ in range(_NOTES):
            found = self.rows.get(self.at.get(above, -1)) if above is not None else None
            if found is None:
                return True  # a gap tells nothing
            if found.type in ("user", "assistant"):
                message = self.message_of(found)
                return message == row.message if message is not None else bool(found.flags & _ERROR)
            above = found.parent
        return True

    def _asked_in(self, parent: int | None) -> int | None:
        """The answer whose record makes several calls: a row names the first of them only."""
        above = self.rows.get(self.at.get(parent, -1)) if parent is not None else None
        return above.message if above is not None and above.type == "assistant" and above.flags & _CALL else None

    def message_of(self, row: LinkRow) -> int | None:
        """The answer that a row is a part of, or answers. What reports an error is no answer."""
        if row.type == "assistant":
            return None if row.flags & _ERROR else row.message
        if row.type == "user" and row.flags & _RESULT and row.tool is not None:
            return self._calls.get(row.tool)
        return None
