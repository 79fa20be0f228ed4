"""Where the messages that are kept after a summary may begin, and where those before one may end.

Besides the rules for every cut there is one for thinking: if the latest turn thinks, its kept part has to begin with
an answer that does, because a model that has to think refuses a turn without its first thoughts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence

from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from sessions.transcripts.engine.messages import THINKING_TYPES, Message, MessageKind
from sessions.transcripts.engine.messages.cuts import find_cuts
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.tokens import TokenCounter
from sessions.usage.engine.too_long import read_too_long


def start_at_or_before(messages: Sequence[Message], place: int) -> int:
    """The nearest index, at or before `place`, where a kept part may begin; 0 keeps everything."""
    held = places_held_by_thinking(messages)
    places = [legal for legal in find_cuts(messages).legal if legal not in held]
    position = bisect_right(places, place)
    return places[position - 1] if position else 0


def start_of_last_round(messages: Sequence[Message], error_at: int = -1, model: str = "") -> int:
    """The index where the latest answer begins, or the number of messages if there is none. `error_at`: the position
    of an error that the client wrote in place of the latest answer, and never sends; -1 if there is none. A model that
    has to think first also gets what its turn began with."""
    last = next((message.message_id for message in reversed(messages) if message.message_id), None)
    start = next((index for index, message in enumerate(messages) if message.message_id == last), len(messages))
    if error_at >= 0:
        later = (index for index in range(start, len(messages)) if (messages[index].position or 0) > error_at)
        start = next(later, len(messages))
    return start_at_or_before(messages, start) if has_to_think_first(model) else start


def start_after_refusal(
    messages: Sequence[Message], counter: TokenCounter, refusal: str, instruction: int, model: str = ""
) -> int:
    """The index from which on the latest rounds have to stay, so that the rest can be sent with an instruction of so
    many tokens: as much as the refused request was too long. If that is everything, or not known, half of the rounds.

    A round begins with an answer, and what precedes the first answer is one too."""
    first = {message.message_id: index for index, message in reversed([*enumerate(messages)]) if message.message_id}
    starts = sorted(first.values())
    if len(starts) == 1 or not starts:
        return len(messages)
    tokens = [counter(message.content) for message in messages]
    error = read_too_long(refusal)
    gap = error.gap if error is not None else None
    half = starts[max(2, (len(starts) + 1) // 2) - 1]
    start = half
    if error is not None and error.tokens and gap is not None:
        least = instruction + sum(tokens) * gap / error.tokens
        start = next((start for start in reversed(starts[1:]) if sum(tokens[start:]) >= least), half)
    return start_at_or_before(messages, start) if has_to_think_first(model) else start


def places_held_by_thinking(messages: Sequence[Message]) -> set[int]:
    """Indexes in the latest turn that come after thinking, unless the next answer begins with thinking."""
    turn = api_turns_of(messages).latest
    if turn is None:
        return set()
    first = next((index for index in range(turn, len(messages)) if has_thinking(messages[index])), len(messages))
    held: set[int] = set()
    begins = True
    for place in range(len(messages) - 1, first, -1):
        if messages[place].kind is MessageKind.ANSWER and messages[place].content:
            begins = _begins_with_thinking(messages[place])
        if not begins:
            held.add(place)
    return held


def places_after_unthinking_turns(messages: Sequence[Message], model: str) -> set[int]:
    """Indexes after results of a turn that does not begin with thinking. A summary there joins those results, so that
    the turn goes on: a model that has to think first refuses that, although it accepts it as an earlier turn."""
    if not has_to_think_first(model) or not any(map(has_thinking, messages)):
        return set()
    loops = api_turns_of(messages)
    return {
        place
        for place, joins in enumerate(loops.joins)
        if joins and (head := loops.head_before(place)) is not None and not _begins_with_thinking(messages[head])
    }


def has_to_think_first(model: str) -> bool:
    """Models that think only with a budget refuse a turn that does not begin with thinking. An unknown model is not
    taken for one."""
    facts = facts_of(model)
    return facts is not None and facts.thinking == frozenset({"enabled"})


def loses_first_thoughts(messages: Sequence[Message], removed: Container[int]) -> bool:
    """Whether the latest turn begins with thinking, and would not without these messages."""
    turn = api_turns_of(messages).latest
    if turn is None or turn not in removed or not _begins_with_thinking(messages[turn]):
        return False
    answers = (
        index
        for index in range(turn, len(messages))
        if messages[index].kind is MessageKind.ANSWER and messages[index].content
    )
    remaining = next((index for index in answers if index not in removed), None)
    return remaining is not None and not _begins_with_thinking(messages[remaining])


def has_thinking(message: Message) -> bool:
    return any(block.get("type") in THINKING_TYPES for block in message.content)


def _begins_with_thinking(answer: Message) -> bool:
    return answer.content[0].get("type") in THINKING_TYPES
