"""The turns of a conversation as the API reads them: whatever comes with results continues the turn of their calls.

Models that think with a budget check how the latest turn begins. What a person typed while a tool ran, and a summary
after a result, do not begin a new one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sessions.transcripts.engine.messages import Message, MessageKind


@dataclass(frozen=True, slots=True)
class ApiTurns:
    heads: tuple[int, ...]
    """The index of each turn's first answer, ascending."""
    joins: tuple[bool, ...]
    """For each index, whether text inserted there would come with results. There is one more than messages."""
    ends_with_answer: bool
    """The conversation ends with an answer."""

    @property
    def latest(self) -> int | None:
        """The index of the first answer of the turn that goes on; None if the next answer begins a new turn."""
        return self.heads[-1] if self.heads and (self.ends_with_answer or self.joins[-1]) else None

    def head_before(self, place: int) -> int | None:
        position = bisect_right(self.heads, place - 1)
        return self.heads[position - 1] if position else None


def api_turns_of(messages: Sequence[Message]) -> ApiTurns:
    heads: list[int] = []
    joins = [False]
    role, results = "", False
    for index, message in enumerate(messages):
        if message.content and message.role == "user":
            results = (results and role == "user") or message.kind is MessageKind.RESULT
            role = "user"
        elif message.content and message.role == "assistant":
            if role != "assistant" and not results:
                heads.append(index)
            role = "assistant"
        joins.append(role == "user" and results)
    return ApiTurns(tuple(heads), tuple(joins), role == "assistant")
