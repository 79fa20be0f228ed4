"""Where a conversation may be cut in two: not between a tool call and its result, nor between the records of one
answer.

A cut at index i is before message i; 0 and the length of the array are places too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sessions.transcripts.engine.messages.message import Message

CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
"""Tools of the server answer in the same response, or in a later one of the turn if tools of the client were called
with them."""


class Hold(StrEnum):
    TOOL_PAIR = "tool pair"
    """A call would lose its result."""
    ANSWER = "answer"
    """Records of one answer would be parted."""
    OPEN_CALL = "open call"
    """The result of a call is still to come."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What holds the messages from `first` to `last` together."""

    hold: Hold
    id: str
    """Of the tool call or of the answer."""
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Cuts:
    obstacles: tuple[Obstacle | None, ...]
    """For each place the widest obstacle, None where a cut is legal. There is one place more than messages."""
    legal: tuple[int, ...]
    """The places where a cut is legal, ascending."""

    def is_legal(self, place: int) -> bool:
        return self.obstacles[place] is None


@dataclass(slots=True)
class _Reader:
    """Reads the messages once and notes which of them belong together."""

    calls: dict[str, int] = field(default_factory=dict)
    answers: dict[str, list[int]] = field(default_factory=dict)
    pairs: dict[str, list[int]] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    """Calls of the latest answer that have no result yet; of earlier ones none is to come."""
    latest: str | None = None

    def read(self, index: int, message: Message) -> None:
        if message.role == "assistant":
            self._read_answer(index, message)
        for block in message.content:
            kind = str(block.get("type"))
            if kind in CALLS:
                tool = str(block.get("id"))
                self.calls[tool] = index
                if kind == "tool_use":
                    self.waiting[tool] = index
            elif kind.endswith("tool_result"):
                tool = str(block.get("tool_use_id"))
                self.waiting.pop(tool, None)
                if tool in self.calls:
                    self.pairs.setdefault(tool, [self.calls[tool], index])[1] = index

    def _read_answer(self, index: int, message: Message) -> None:
        answer = message.message_id or f"#{index}"
        if answer != self.latest:
            self.waiting.clear()
            self.latest = answer
        if message.message_id:
            self.answers.setdefault(message.message_id, [index, index])[1] = index

    def obstacles(self, end: int) -> Iterable[Obstacle]:
        yield from (
            Obstacle(Hold.TOOL_PAIR, tool, first, last) for tool, (first, last) in self.pairs.items() if first < last
        )
        yield from (
            Obstacle(Hold.ANSWER, answer, first, last) for answer, (first, last) in self.answers.items() if first < last
        )
        yield from (Obstacle(Hold.OPEN_CALL, tool, first, end) for tool, first in self.waiting.items())


def find_cuts(messages: Sequence[Message]) -> Cuts:
    """All places at once, in time linear in the blocks."""
    reader = _Reader()
    for index, message in enumerate(messages):
        reader.read(index, message)
    longest_by_first: dict[int, Obstacle] = {}
    for obstacle in reader.obstacles(len(messages)):
        longest = longest_by_first.get(obstacle.first)
        if longest is None or longest.last < obstacle.last:
            longest_by_first[obstacle.first] = obstacle
    obstacles: list[Obstacle | None] = []
    widest: Obstacle | None = None
    for place in range(len(messages) + 1):
        candidate = longest_by_first.get(place - 1)
        if candidate is not None and (widest is None or widest.last < candidate.last):
            widest = candidate
        if widest is not None and widest.last < place:
            widest = None
        obstacles.append(widest)
    return Cuts(tuple(obstacles), tuple(place for place, obstacle in enumerate(obstacles) if obstacle is None))
