"""The turns of a conversation: from one input of a person to the next, with every result in the turn of its call.

A person may type while a tool runs. The result then follows the new input, but it belongs to the turn of its call, and
later records of an answer belong to the turn of the first: a turn can be taken out without splitting anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.conversation.standing import is_standing
from sessions.transcripts.engine.messages import Message, MessageKind


@dataclass(frozen=True, slots=True)
class Turn:
    first: int
    """The index of its input."""
    messages: tuple[int, ...]
    """The indexes of all its messages, ascending."""
    is_open: bool = False
    """One of its calls has no result yet, or the model has yet to answer."""
    is_entangled: bool = False
    """One of its messages holds results of another turn too."""


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """Messages before the first input belong to no turn, nor do a summary with what follows it, and messages of the
    client about the state of the session."""
    answers: dict[str, int] = {}
    calls: dict[str, int] = {}
    members: list[list[int]] = []
    waiting: dict[str, int] = {}
    entangled: set[int] = set()
    current = -1
    answer = ""
    for index, message in enumerate(messages):
        turn = current
        if message.kind is MessageKind.PROMPT and message.role == "user" and message.uuid:
            members.append([])
            turn = current = len(members) - 1
        elif message.kind is MessageKind.SUMMARY:
            turn = current = -1
        elif message.role == "assistant":
            if message.message_id:
                turn = answers.setdefault(message.message_id, current)
            if message.message_id != answer or not answer:
                waiting.clear()
                answer = message.message_id
            for block in message.content:
                if block.get("type") == "tool_use":
                    calls[str(block.get("id"))] = turn
                    waiting[str(block.get("id"))] = turn
        else:
            ids = [str(block.get("tool_use_id")) for block in message.content if block.get("type") == "tool_result"]
            for call_id in ids:
                waiting.pop(call_id, None)
            owners = {calls.get(call_id, current) for call_id in ids}
            turn = min(owners, default=current)
            entangled |= owners if len(owners) > 1 else set()
        if turn >= 0 and not is_standing(message):
            members[turn].append(index)
    open_turns = set(waiting.values())
    if messages and messages[-1].role != "assistant":
        open_turns.add(current)
    return [
        Turn(min(indexes), tuple(indexes), number in open_turns, number in entangled)
        for number, indexes in enumerate(members)
    ]


def start_of_unanswered(messages: Sequence[Message], error_at: int = -1) -> int:
    """The index of the first input at the end that no answer has followed; the number of messages if there is none.
    `error_at`: the position of an error that the client wrote in place of an answer."""
    start = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.position is not None and message.position < error_at:
            break
        if message.role == "assistant" or message.kind in (MessageKind.RESULT, MessageKind.SUMMARY):
            break
        if message.kind is MessageKind.PROMPT:
            start = index
    return start
