"""Where the messages that are kept behind a summary may begin.

Beside the rules of every cut there is one for thinking: where the latest turn thinks, its kept part has to begin with
an answer that does, because a model that has to think refuses a turn whose first thoughts are gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.engine.cuts import Cuts, cuts
from sessions.engine.messages import Kind, Message

_THINKING = ("thinking", "redacted_thinking")


def start_at_or_before(messages: Sequence[Message], place: int) -> int:
    """The nearest legal start; 0 keeps everything."""
    places, turn = cuts(messages), _latest_turn(messages)
    start = places.at_or_before(place)
    while start and not _keeps_thinking(messages, start, turn):
        start = places.at_or_before(start - 1)
    return start or 0


def is_start(messages: Sequence[Message], place: int, places: Cuts) -> bool:
    return places.is_legal(place) and _keeps_thinking(messages, place, _latest_turn(messages))


def _latest_turn(messages: Sequence[Message]) -> int:
    """Behind the last input that came with no results: what comes with results is read as part of the turn."""
    results = False
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if message.role == "assistant":
            results = False
        elif message.role == "user" and message.content:
            results = results or message.kind is Kind.RESULT
            begins = at == 0 or messages[at - 1].role == "assistant"
            if begins and not results:
                return at + 1
    return 0


def _keeps_thinking(messages: Sequence[Message], start: int, turn: int) -> bool:
    lost = any(_thinks(message) for message in messages[turn:start])
    first = next((message for message in messages[start:] if message.kind is Kind.ANSWER), None)
    return not lost or first is None or first.content[0].get("type") in _THINKING


def _thinks(message: Message) -> bool:
    return any(block.get("type") in _THINKING for block in message.content)
