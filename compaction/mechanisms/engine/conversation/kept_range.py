"""Where the messages that are kept behind a summary may begin, and where those before one may end.

Beside the rules of every cut there is one for thinking: where the latest turn thinks, its kept part has to begin with
an answer that does, because a model that has to think refuses a turn whose first thoughts are gone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence

from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.transcripts.engine.messages.cuts import find_cuts
from sessions.usage.engine.model_facts import facts_of

_THINKING = ("thinking", "redacted_thinking")


def start_at_or_before(messages: Sequence[Message], place: int) -> int:
    """The nearest place where a kept part may begin; 0 keeps everything."""
    held = places_held_by_thinking(messages)
    places = [legal for legal in find_cuts(messages).legal if legal not in held]
    found = bisect_right(places, place)
    return places[found - 1] if found else 0


def places_held_by_thinking(messages: Sequence[Message]) -> set[int]:
    """Places in the latest turn behind thinking, unless the next answer begins with some."""
    turn = api_turns_of(messages).latest
    if turn is None:
        return set()
    first = next((at for at in range(turn, len(messages)) if has_thinking(messages[at])), len(messages))
    held: set[int] = set()
    begins = True
    for place in range(len(messages) - 1, first, -1):
        if messages[place].kind is MessageKind.ANSWER and messages[place].content:
            begins = _begins_with_thinking(messages[place])
        if not begins:
            held.add(place)
    return held


def places_after_unthinking_turns(messages: Sequence[Message], model: str) -> set[int]:
    """Places behind results of a turn that does not begin with thinking. A summary there joins those results, so that
    the turn goes on: a model that has to think first refuses it, although it has long taken it as an earlier one."""
    if not has_to_think_first(model) or not any(map(has_thinking, messages)):
        return set()
    loops = api_turns_of(messages)
    return {
        place
        for place, joins in enumerate(loops.joins)
        if joins and (head := loops.head_before(place)) is not None and not _begins_with_thinking(messages[head])
    }


def has_to_think_first(model: str) -> bool:
    """Models that only think with a budget refuse a turn that does not begin with it; what is not known of a model is
    left for it to say."""
    facts = facts_of(model)
    return facts is not None and facts.thinking == frozenset({"enabled"})


def loses_first_thoughts(messages: Sequence[Message], gone: Container[int]) -> bool:
    """Whether the latest turn begins with thinking, and would not without these messages."""
    turn = api_turns_of(messages).latest
    if turn is None or turn not in gone or not _begins_with_thinking(messages[turn]):
        return False
    answers = (
        at for at in range(turn, len(messages)) if messages[at].kind is MessageKind.ANSWER and messages[at].content
    )
    left = next((at for at in answers if at not in gone), None)
    return left is not None and not _begins_with_thinking(messages[left])


def has_thinking(message: Message) -> bool:
    return any(block.get("type") in _THINKING for block in message.content)


def _begins_with_thinking(answer: Message) -> bool:
    return answer.content[0].get("type") in _THINKING
