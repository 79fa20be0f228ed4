"""Whether a request was too light for all that stands before it: the API counted what it was sent, and a client that
has read the session again sends less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sessions.engine.context.rendering import Said
from sessions.engine.context.segments import Segment
from sessions.engine.tokens import estimate_blocks

_LEAST = 100
"""Tokens: less than that may be the client's own doing, a reminder more or less."""


@dataclass(slots=True)
class Weighing:
    _beside: dict[int, int] = field(default_factory=dict)
    """Position of what stands beside the chain -> its tokens."""

    def note(self, segment: Segment, on_chain: Callable[[int], bool], speak: Callable[[int], Said | None]) -> None:
        for position in segment.positions:
            if on_chain(position):
                self._beside.pop(position, None)
            elif position not in self._beside and (one := speak(position)) is not None:
                self._beside[position] = estimate_blocks(one.message.content)

    def is_lighter(
        self, segment: Segment, prompt: int, following: int, since: int, speak: Callable[[int], Said | None]
    ) -> bool | None:
        """Did the request after the prompt hold too little for what stood beside the chain since that row? `segment`:
        the answer before the prompt, and what follows it; `following`: the next answer. None if that cannot be told."""
        lost = sum(tokens for position, tokens in self._beside.items() if since <= position < prompt)
        if lost < _LEAST or not segment.answer:
            return None
        before, after = _counted(speak(segment.answer[-1])), _counted(speak(following)) if following >= 0 else 0
        if not before or not after:
            return None
        told = (speak(position) for position in segment.positions)
        added = sum(estimate_blocks(one.message.content) for one in told if one is not None)
        # Estimates are too high by up to a third and more.
        return None if lost < added else after - before < added - lost / 2


def _counted(answer: Said | None) -> int:
    usage = answer.message.usage if answer is not None else None
    return usage.context if usage is not None else 0
