"""Where the messages that are kept behind a summary may begin, and where those before one may end.

Beside the rules of every cut there is one for thinking: where the latest turn thinks, its kept part has to begin with
an answer that does, because a model that has to think refuses a turn whose first thoughts are gone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence

from sessions.engine.messages import Kind, Message
from sessions.engine.messages.cuts import cuts
from sessions.engine.model_facts import facts_of

_THINKING = ("thinking", "redacted_thinking")


def start_at_or_before(messages: Sequence[Message], place: int) -> int:
    """The nearest place where a kept part may begin; 0 keeps everything."""
    held = held_by_thinking(messages)
    places = [legal for legal in cuts(messages).legal if legal not in held]
    found = bisect_right(places, place)
    return places[found - 1] if found else 0


def held_by_thinking(messages: Sequence[Message]) -> set[int]:
    """Places in the latest turn behind thinking, unless the next answer begins with some."""
    turn = _latest_turn(messages)
    first = next((at for at in range(turn, len(messages)) if _thinks(messages[at])), len(messages))
    held: set[int] = set()
    begins = True
    for place in range(len(messages) - 1, first, -1):
        if messages[place].kind is Kind.ANSWER and messages[place].content:
            begins = _begins(messages[place])
        if not begins:
            held.add(place)
    return held


def thoughtless_ends(messages: Sequence[Message], model: str) -> set[int]:
    """Places behind results of a turn that does not begin with thinking. A summary there joins those results, so that
    the turn goes on: a model that has to think first refuses it, although it has long taken it as an earlier one."""
    if not has_to_think_first(model) or not any(map(_thinks, messages)):
        return set()
    ends: set[int] = set()
    role, results, begins = "", False, True
    for at, message in enumerate(messages):
        if role == "user" and results and not begins:
            ends.add(at)
        if not message.content or message.role == "system":
            continue
        if message.role == "user":
            results = (results and role == "user") or message.kind is Kind.RESULT
        elif role != "assistant" and not results:
            begins = _begins(message)
        role = message.role
    return ends


def has_to_think_first(model: str) -> bool:
    """Models that only think with a budget refuse a turn that does not begin with it; what is not known of a model is
    left for it to say."""
    facts = facts_of(model)
    return facts is not None and facts.thinking == frozenset({"enabled"})


def loses_first_thoughts(messages: Sequence[Message], gone: Container[int]) -> bool:
    """Whether the latest turn begins with thinking, and would not without these messages."""
    answers = [
        at
        for at in range(_latest_turn(messages), len(messages))
        if messages[at].kind is Kind.ANSWER and messages[at].content
    ]
    left = next((at for at in answers if at not in gone), None)
    return left is not None and left != answers[0] and _begins(messages[answers[0]]) and not _begins(messages[left])


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


def _thinks(message: Message) -> bool:
    return any(block.get("type") in _THINKING for block in message.content)


def _begins(answer: Message) -> bool:
    return answer.content[0].get("type") in _THINKING
