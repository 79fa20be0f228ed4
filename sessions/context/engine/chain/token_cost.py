"""Whether a request was too light for all that stands before it: the API counted what it was sent, and a client that
has read the session again sends less."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.rendering.records import Said
from sessions.usage.engine.tokens import estimate_blocks

Speak = Callable[[int], Said | None]
"""What the record at a position says."""
_LEAST = 100
"""Tokens: less than that may be the client's own doing, a reminder more or less."""

MOST_BESIDE = 2_000
"""Rows that are weighed for one prompt: no session of a person has as many beside its chain."""


def counted(answer: Said | None) -> int:
    """The tokens of the request that was answered; 0 if nobody counted them."""
    usage = answer.message.usage if answer is not None else None
    return usage.context if usage is not None else 0


def weight(positions: Iterable[int], speak: Speak) -> int:
    told = (speak(position) for position in positions)
    return sum(estimate_blocks(one.message.content) for one in told if one is not None)


def is_lighter(last: Segment, prompt: int, following: int, beside: Sequence[int], speak: Speak) -> bool | None:
    """Did the request after a prompt hold too little for what stands beside the chain? `last`: the segment that the
    prompt ends; `following`: the next answer. None if that cannot be told."""
    if not beside or not last.answer or following < 0:
        return None
    before, after = counted(speak(last.answer[-1])), counted(speak(following))
    lost, added = weight(beside, speak), weight(last.positions, speak)
    # Estimates are too high by up to a third and more.
    if not before or not after or lost < max(_LEAST, added):
        return None
    return after - before < added - lost / 2


class Beside:
    """What stands beside the chain, looked for once however many prompts ask: in a session of ten thousand prompts that
    is the difference between a moment and minutes. Whoever asks goes forward, and so does what was lost before."""

    def __init__(self, segments: Sequence[Segment], on_chain: Callable[[int], bool]) -> None:
        self._segments = segments
        self._on_chain = on_chain
        self._runs: deque[tuple[int, list[int]]] = deque()
        """The lowest newest row of some segments, and what of them stands beside the chain: of one segment where there
        is something, of all in a row where there is nothing."""
        self._low = self._high = -1
        self.looked_at = 0

    def before(self, prompt: int, at: int, since: int) -> list[int]:
        """Before a prompt, which ends the segment `at`, and not lost before: from the row `since`. The nearest of very
        many."""
        self._advance(at)
        found: list[int] = []
        for newest, positions in reversed(self._runs):
            if newest < since or len(found) > MOST_BESIDE:
                return found[:MOST_BESIDE]
            found += [one for one in positions if since <= one < prompt]
        while self._low > 0 and len(found) <= MOST_BESIDE:
            self._low -= 1
            newest, positions = self._look(self._low)
            if self._runs and not positions and not self._runs[0][1]:
                self._runs[0] = (min(newest, self._runs[0][0]), [])
            else:
                self._runs.appendleft((newest, positions))
            if newest < since:
                break
            found += [one for one in positions if since <= one < prompt]
        return found[:MOST_BESIDE]

    def _advance(self, at: int) -> None:
        if self._high < 0:
            self._low = self._high = at
        for number in range(self._high, at + 1):
            newest, positions = self._look(number)
            if self._runs and not positions and not self._runs[-1][1]:
                self._runs[-1] = (min(newest, self._runs[-1][0]), [])
            else:
                self._runs.append((newest, positions))
        self._high = max(self._high, at + 1)

    def _look(self, number: int) -> tuple[int, list[int]]:
        segment = self._segments[number]
        self.looked_at += 1
        newest = max(segment.answer or segment.rest, default=-1)
        return newest, [one for one in segment.positions if not self._on_chain(one)]
