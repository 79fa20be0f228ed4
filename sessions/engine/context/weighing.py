"""Whether a request was too light for all that stands before it: the API counted what it was sent, and a client that
has read the session again sends less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sessions.engine.context.rendering import Said
from sessions.engine.context.segments import Segment
from sessions.engine.tokens import estimate_blocks

Speak = Callable[[int], Said | None]
"""What the record at a position says."""
_LEAST = 100
"""Tokens: less than that may be the client's own doing, a reminder more or less."""


def counted(answer: Said | None) -> int:
    """The tokens of the request that was answered; 0 if nobody counted them."""
    usage = answer.message.usage if answer is not None else None
    return usage.context if usage is not None else 0


def weight(positions: Iterable[int], speak: Speak) -> int:
    told = (speak(position) for position in positions)
    return sum(estimate_blocks(one.message.content) for one in told if one is not None)


def is_lighter(
    segments: Sequence[Segment], prompt: int, following: int, beside: Sequence[int], speak: Speak
) -> bool | None:
    """Did the request after a prompt hold too little for what stands beside the chain? `segments`: up to the one that
    the prompt ends; `following`: the next answer. None if that cannot be told."""
    last = segments[-1]
    if not beside or not last.answer or following < 0:
        return None
    before, after = counted(speak(last.answer[-1])), counted(speak(following))
    lost, added = weight(beside, speak), weight(last.positions, speak)
    # Estimates are too high by up to a third and more.
    if not before or not after or lost < max(_LEAST, added):
        return None
    return after - before < added - lost / 2


def beside(segments: Sequence[Segment], prompt: int, since: int, on_chain: Callable[[int], bool]) -> list[int]:
    """What stands beside the chain before a prompt and was not lost before."""
    found: list[int] = []
    for segment in reversed(segments):
        if max(segment.answer or segment.rest, default=-1) < since:
            break
        found += [one for one in segment.positions if since <= one < prompt and not on_chain(one)]
    return found
