"""Whether a request had too few tokens for everything before it. The API counted what it was sent, and a client that
has resumed the session sends less."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.rendering.records import RenderedRecord
from sessions.usage.engine.tokens import estimate_blocks

RenderAt = Callable[[int], RenderedRecord | None]
"""Renders the record at a position."""
_MIN_TOKENS = 100
"""A smaller difference may come from a reminder more or less."""

MAX_OFF_CHAIN = 2_000
"""Rows that are weighed for one prompt. No session of a person has as many off its chain."""


def request_tokens(answer: RenderedRecord | None) -> int:
    """The tokens of an answer's request as the API counted them; 0 if it did not."""
    usage = answer.message.usage if answer is not None else None
    return usage.context if usage is not None else 0


def tokens_so_far(answer: RenderedRecord | None) -> int:
    """The tokens of an answer and its request as the API counted them; 0 if it did not."""
    usage = answer.message.usage if answer is not None else None
    return usage.context + usage.output if usage is not None else 0


def estimate_tokens(positions: Iterable[int], render: RenderAt) -> int:
    records = (render(position) for position in positions)
    return sum(estimate_blocks(record.message.content) for record in records if record is not None)


def is_lighter(last: Segment, prompt: int, following: int, off_chain: Sequence[int], render: RenderAt) -> bool | None:
    """Was the request after a prompt sent without the rows off the chain? None if that cannot be told. `last`: the
    segment that the prompt ends; `following`: the next answer."""
    if not off_chain or not last.answer or following < 0:
        return None
    before, after = request_tokens(render(last.answer[-1])), request_tokens(render(following))
    lost, added = estimate_tokens(off_chain, render), estimate_tokens(last.positions, render)
    # Estimates are too high by up to a third and more.
    if not before or not after or lost < max(_MIN_TOKENS, added):
        return None
    return after - before < added - lost / 2


class OffChainRows:
    """The rows off the chain, looked for once for all prompts: in a session of ten thousand prompts that is the
    difference between a moment and minutes. Prompts are asked about in order."""

    def __init__(self, segments: Sequence[Segment], on_chain: Callable[[int], bool]) -> None:
        self._segments = segments
        self._on_chain = on_chain
        self._runs: deque[tuple[int, list[int]]] = deque()
        """The lowest newest row of some segments, and their rows off the chain. Neighbours without any share one
        item."""
        self._low = self._high = -1
        self.looked_at = 0

    def find_before(self, prompt: int, segment_index: int, since: int) -> list[int]:
        """The rows off the chain from `since` up to a prompt, which ends the given segment; at most the nearest
        `MAX_OFF_CHAIN`."""
        self._advance(segment_index)
        off_chain: list[int] = []
        for newest, positions in reversed(self._runs):
            if newest < since or len(off_chain) > MAX_OFF_CHAIN:
                return off_chain[:MAX_OFF_CHAIN]
            off_chain += [position for position in positions if since <= position < prompt]
        while self._low > 0 and len(off_chain) <= MAX_OFF_CHAIN:
            self._low -= 1
            newest, positions = self._examine(self._low)
            if self._runs and not positions and not self._runs[0][1]:
                self._runs[0] = (min(newest, self._runs[0][0]), [])
            else:
                self._runs.appendleft((newest, positions))
            if newest < since:
                break
            off_chain += [position for position in positions if since <= position < prompt]
        return off_chain[:MAX_OFF_CHAIN]

    def _advance(self, segment_index: int) -> None:
        if self._high < 0:
            self._low = self._high = segment_index
        for number in range(self._high, segment_index + 1):
            newest, positions = self._examine(number)
            if self._runs and not positions and not self._runs[-1][1]:
                self._runs[-1] = (min(newest, self._runs[-1][0]), [])
            else:
                self._runs.append((newest, positions))
        self._high = max(self._high, segment_index + 1)

    def _examine(self, number: int) -> tuple[int, list[int]]:
        segment = self._segments[number]
        self.looked_at += 1
        newest = max(segment.answer or segment.rest, default=-1)
        return newest, [position for position in segment.positions if not self._on_chain(position)]
