"""At which messages a person may cut a conversation for a partial compaction, and why not at the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.compaction.boundary import Direction, index_after_boundary
from compaction.mechanisms.engine.conversation.kept_range import places_after_unthinking_turns, places_held_by_thinking
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.transcripts.engine.messages.cuts import Hold, find_cuts

_HELD = {
    Hold.TOOL_PAIR: "a tool call would lose its result",
    Hold.ANSWER: "an answer would be parted",
    Hold.OPEN_CALL: "the result of a tool call is still to come",
}
ABSENT = "no such message is in the context"
ONE_SIDED = "nothing would be left on one side"
RESULT = "it brings results, which belong to what stands before them"
THOUGHTS = "the turn that goes on would lose the thoughts that it begins with"


@dataclass(frozen=True, slots=True)
class PivotPoints:
    legal: Mapping[str, int]
    """The index of each message before which the conversation can be cut, by its uuid, in order."""
    obstacles: Mapping[str, str]
    """What a cut before each other message would do, as part of a sentence."""

    def obstacle(self, uuid: str) -> str:
        """Why there can be no cut before this message; empty if there can."""
        return "" if uuid in self.legal else self.obstacles.get(uuid, ABSENT)


def find_pivots(messages: Sequence[Message], direction: Direction, model: str = "") -> PivotPoints:
    """`model` is the one that will be sent what is left; an unknown one forbids nothing."""
    floor, places = index_after_boundary(messages), find_cuts(messages)
    first = next((index for index in range(floor, len(messages)) if messages[index].content), len(messages))
    held = (
        places_held_by_thinking(messages)
        if direction is Direction.UP_TO
        else places_after_unthinking_turns(messages, model)
    )
    legal: dict[str, int] = {}
    obstacles: dict[str, str] = {}
    for index, message in enumerate(messages):
        blocked = places.obstacles[index]
        why = ""
        if index <= first or not message.content:
            why = ONE_SIDED
        elif blocked is not None:
            why = _HELD[blocked.hold]
        elif message.kind is MessageKind.RESULT:
            why = RESULT
        elif index in held:
            why = THOUGHTS
        if why:
            obstacles.setdefault(message.uuid, why)
        elif message.uuid:
            legal.setdefault(message.uuid, index)
    return PivotPoints(legal, obstacles)


def legal_pivots(messages: Sequence[Message], direction: Direction, model: str = "") -> tuple[str, ...]:
    """Ids of the messages before which the conversation can be cut, with something left on both sides."""
    return tuple(find_pivots(messages, direction, model).legal)
