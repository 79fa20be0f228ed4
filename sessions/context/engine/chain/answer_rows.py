"""The rows of each answer, wherever they are in the file: its records, and the results of its calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_ERROR, _CALL, _RESULT = int(Flag.ERROR), int(Flag.CALL), int(Flag.RESULT)
_NOTES = 100
"""At most this many notes are between two records of an answer."""

OnChain = Callable[[int], bool]


@dataclass(slots=True)
class AnswerCopies:
    """Answers that are in the file more than once: a client that resumes a session may write part of it again under
    other uuids. Only one copy is sent."""

    _starts: dict[int, list[int]] = field(default_factory=dict)
    """Answer -> the positions at which further copies begin."""

    def __contains__(self, message: int) -> bool:
        return message in self._starts

    def add_start(self, message: int, position: int) -> None:
        self._starts.setdefault(message, []).append(position)

    def pick_rows(self, message: int, answer: Sequence[int], on_chain: OnChain) -> list[int]:
        """The rows of those copies that the chain leads through."""
        begins = self._starts[message]
        times = {bisect_right(begins, position) for position in answer if on_chain(position)}
        return [position for position in answer if bisect_right(begins, position) in times]


def pick_results(results: Sequence[int], rows: Mapping[int, LinkRow], on_chain: OnChain) -> list[int]:
    """One result for each call: the one on the chain, else the newest."""
    chosen: dict[int | None, int] = {}
    for position in results:
        tool = rows[position].tool
        if tool not in chosen or not on_chain(chosen[tool]):
            chosen[tool] = position
    return sorted(chosen.values())


@dataclass(slots=True)
class AnswerRows:
    rows: Mapping[int, LinkRow]
    positions_by_uuid: Mapping[int, int]
    outdated: set[int]
    """Answers that have changed since their segment was made."""
    _answers: dict[int, list[int]] = field(default_factory=dict)
    _calls: dict[int, int] = field(default_factory=dict)
    _results: dict[int, list[int]] = field(default_factory=dict)
    _early_results: dict[int, list[int]] = field(default_factory=dict)
    """Tool call -> results that were written before it."""
    _copies: AnswerCopies = field(default_factory=AnswerCopies)

    def positions(self, message: int, on_chain: OnChain) -> tuple[list[int], list[int]]:
        """The records of an answer, and the results of its calls, both in file order."""
        answer, results = sorted(self._answers.get(message, ())), sorted(self._results.get(message, ()))
        if message not in self._copies:
            return answer, results
        return self._copies.pick_rows(message, answer, on_chain), pick_results(results, self.rows, on_chain)

    def feed_answer(self, row: LinkRow) -> bool:
        """Returns whether results of the answer came before it, so that earlier contexts change."""
        if row.message is None:
            return False
        completes_earlier = False
        rows = self._answers.setdefault(row.message, [])
        if rows and row.parent != self.rows[rows[-1]].uuid and not self._continues_answer(row):
            self._copies.add_start(row.message, row.position)
        rows.append(row.position)
        if row.tool is not None and row.flags & _CALL:
            self._calls.setdefault(row.tool, row.message)
            if row.tool in self._early_results:
                self._results.setdefault(row.message, []).extend(self._early_results.pop(row.tool))
                completes_earlier = True
        self.outdated.add(row.message)
        return completes_earlier

    def feed_result(self, row: LinkRow, tool: int) -> None:
        message = self._calls.get(tool)
        if message is None:
            message = self._find_caller(row.parent)
            if message is None:
                self._early_results.setdefault(tool, []).append(row.position)
                return
            self._calls[tool] = message
        self._results.setdefault(message, []).append(row.position)
        self.outdated.add(message)

    def _continues_answer(self, row: LinkRow) -> bool:
        """Does the row follow an earlier record of the same answer, or a result of its calls?"""
        link = row.parent
        for _ in range(_NOTES):
            row_above = self.rows.get(self.positions_by_uuid.get(link, -1)) if link is not None else None
            if row_above is None:
                return True  # the row above is missing, so nothing is known
            if row_above.type in ("user", "assistant"):
                message = self.message_of(row_above)
                return message == row.message if message is not None else bool(row_above.flags & _ERROR)
            link = row_above.parent
        return True

    def _find_caller(self, parent: int | None) -> int | None:
        """The answer that made a call. A row names only the first of the calls that its record makes."""
        above = self.rows.get(self.positions_by_uuid.get(parent, -1)) if parent is not None else None
        return above.message if above is not None and above.type == "assistant" and above.flags & _CALL else None

    def message_of(self, row: LinkRow) -> int | None:
        """The answer that a row belongs to, as a record or as a result. A report of an API error is no answer."""
        if row.type == "assistant":
            return None if row.flags & _ERROR else row.message
        if row.type == "user" and row.flags & _RESULT and row.tool is not None:
            return self._calls.get(row.tool)
        return None
