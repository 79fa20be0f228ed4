"""The choices of a person: turns that can be snipped, and messages at which a conversation can be cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compaction.kinds.engine.spec import KindError
from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.conversation.turns import turns_of
from compaction.mechanisms.engine.partial.pivots import find_pivots
from compaction.mechanisms.engine.snip.removal import short_id
from sessions.transcripts.engine.messages import Message
from sessions.weights.engine import Weight, combine


@dataclass(frozen=True, slots=True)
class TurnChoice:
    uuid: str
    """Of the input that it begins with."""
    position: int | None
    words: str
    """Of that input, on one line."""
    messages: tuple[str, ...]
    weight: Weight
    stays: str
    """Why it cannot be snipped; empty if it can."""


@dataclass(frozen=True, slots=True)
class Pivot:
    """Where a partial compaction cuts: at the named message, or at the nearest one that keeps more."""

    uuid: str
    """Empty if there is none."""
    obstacle: str = ""
    """What a cut at the message that was named would do; empty if it is there that it cuts."""


def turn_choices(messages: Sequence[Message], weigh: Callable[[Message], Weight]) -> list[TurnChoice]:
    turns = turns_of(messages)
    ids = Counter(short_id(messages[turn.first].uuid) for turn in turns)
    choices = []
    for turn in turns:
        first = messages[turn.first]
        stays = ""
        if turn.is_open:
            stays = "It is not finished."
        elif turn.is_entangled:
            stays = "Its results stand in one message with those of another turn."
        elif ids[short_id(first.uuid)] > 1:
            stays = "Several inputs have its short id."
        choices.append(
            TurnChoice(
                first.uuid,
                first.position,
                _words(first),
                tuple(messages[index].uuid for index in turn.messages),
                combine(weigh(messages[index]) for index in turn.messages),
                stays,
            )
        )
    return choices


def pivot_of(messages: Sequence[Message], pivot_uuid: str, direction: Direction, model: str = "") -> Pivot:
    """Raises KindError if no message is named, or none that exists."""
    if not pivot_uuid:
        raise KindError("A partial compaction needs a pivot: the uuid of the message at which it begins or ends.")
    wanted_index = next((index for index, message in enumerate(messages) if message.uuid == pivot_uuid), None)
    if wanted_index is None:
        raise KindError(f"No message of the context has the uuid {pivot_uuid}: it may have left it already.")
    pivots = find_pivots(messages, direction, model)
    if pivot_uuid in pivots.legal:
        return Pivot(pivot_uuid)
    behind = direction is Direction.FROM
    keeping_more = [(index, uuid) for uuid, index in pivots.legal.items() if (index > wanted_index) is behind]
    obstacle = pivots.obstacle(pivot_uuid)
    if not keeping_more:
        return Pivot("", obstacle)
    return Pivot(min(keeping_more)[1] if behind else max(keeping_more)[1], obstacle)


def pivot_near(messages: Sequence[Message], position: int, direction: Direction, model: str = "") -> str:
    """The message nearest to an entry at which the conversation may be cut; empty if there is none."""
    legal = find_pivots(messages, direction, model).legal
    candidates = [(message.position, message.uuid) for message in messages if message.position is not None]
    near = min(
        (
            (abs(entry_position - position), entry_position, uuid)
            for entry_position, uuid in candidates
            if uuid in legal
        ),
        default=(0, 0, ""),
    )
    return near[2]


def _words(message: Message) -> str:
    return " ".join(" ".join(str(block.get("text", "")) for block in message.content).split())
