"""Old results that a version clears in its requests without writing it down. When it did is told by the tokens that the
API counted: a request that is lighter than the one before it by what the old results weigh was sent without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from sessions.engine.context.overlays import CLEARED
from sessions.engine.context.rendering import Said
from sessions.engine.context.segments import Segment
from sessions.engine.linking.extras import text
from sessions.engine.messages import changed
from sessions.engine.tokens import estimate_blocks

KEPT = 3
"""Results that are never cleared, the latest."""
LEAST = 20_000
"""Tokens: for less it is not done."""
CLEARABLE = frozenset({"Bash", "Edit", "Glob", "Grep", "MultiEdit", "Read", "WebFetch", "WebSearch", "Write"})
Speak = Callable[[int], Said | None]


@dataclass(slots=True)
class Clearing:
    cleared: set[int] = field(default_factory=set)
    """Positions of results."""
    _old: list[list[tuple[int, int]]] = field(default_factory=list)
    """For each segment the results that could be, and their tokens."""
    _since: int = -1

    def go_on(self, segments: Sequence[Segment], same: int, speak: Speak, answer: int, since: int) -> bool:
        """Takes the segments of the next context, and returns whether results are cleared that were not before, or are
        back. `answer`: what was answered to it; `since`: the client has read the session again there, and had cleared
        nothing yet."""
        former = len(self.cleared), self._since
        if since != self._since or not same:
            self.cleared, self._since, same = set(), since, 0
        del self._old[same:]
        for at in range(same, len(segments)):
            following = segments[at + 1].answer if at + 1 < len(segments) else [answer]
            self._look_at(segments[at], speak, following[-1] if following else -1)
        return former != (len(self.cleared), self._since)

    def _look_at(self, segment: Segment, speak: Speak, following: int) -> None:
        """At an answer and what follows it: what of all that stands there was sent in the next request?"""
        told = [one for position in segment.positions if (one := speak(position)) is not None]
        names = {text(block.get("id")): text(block.get("name")) for one in told for block in one.message.content}
        self._old.append([])
        for position in segment.results:
            one = speak(position)
            if one is not None and any(
                names.get(text(block.get("tool_use_id"))) in CLEARABLE for block in one.message.content
            ):
                self._old[-1].append((position, _weight(one)))
        if following <= self._since or not segment.answer:
            return
        before, after = _counted(speak(segment.answer[-1])), _counted(speak(following))
        missing = sum(map(_weight, told)) - (after - before)
        if not before or not after or missing < LEAST / 2:
            return
        old = [one for some in self._old for one in some][:-KEPT]
        old = [(position, weight) for position, weight in old if position not in self.cleared]
        saved = sum(weight for _, weight in old)
        if LEAST <= saved < 2 * missing:
            self.cleared.update(position for position, _ in old)

    def without(self, one: Said) -> Said:
        if one.message.position not in self.cleared:
            return one
        blocks = tuple({**block, "content": CLEARED} for block in one.message.content)
        return replace(one, message=changed(one.message, content=blocks))


def _weight(one: Said) -> int:
    """Estimates are meant to be too high; here two of them are held against what was counted."""
    return estimate_blocks(one.message.content) * 3 // 4


def _counted(answer: Said | None) -> int:
    usage = answer.message.usage if answer is not None else None
    return usage.context if usage is not None else 0
