"""Old results that a version clears in its requests without writing it down. When it did is told by the tokens that the
API counted: a request that is lighter than the one before it by what the old results weigh was sent without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.token_cost import Speak, counted, weight
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.context.engine.rendering.records import Said
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import replace_fields

KEPT = 3
"""Results that are never cleared, the latest."""
LEAST = 20_000
"""Tokens: for less it is not done."""
CLEARABLE = frozenset({"Bash", "Edit", "Glob", "Grep", "MultiEdit", "Read", "WebFetch", "WebSearch", "Write"})


@dataclass(slots=True)
class Clearing:
    cleared: set[int] = field(default_factory=set)
    """Positions of results."""
    _since: int = -1

    def go_on(self, segments: Sequence[Segment], same: int, speak: Speak, answer: int, since: int) -> bool:
        """Takes the segments of the next context, and returns whether results are cleared that were not before, or are
        back. `answer`: what was answered to it; `since`: the client has read the session again there, and had cleared
        nothing yet."""
        former = len(self.cleared), self._since
        if since != self._since or not same:
            self.cleared, self._since, same = set(), since, 0
        for at in range(same, len(segments)):
            following = segments[at + 1].answer[-1:] if at + 1 < len(segments) else [answer]
            if following and following[0] > since and segments[at].answer:
                self._look_at(segments, at, speak, following[0])
        return former != (len(self.cleared), self._since)

    def _look_at(self, segments: Sequence[Segment], at: int, speak: Speak, following: int) -> None:
        """What of all that stands up to this segment was sent in the request that this was the answer to?"""
        last = segments[at]
        before, after = counted(speak(last.answer[-1])), counted(speak(following))
        if not after < before:
            return
        old = [one for one in _clearable(segments[: at + 1], speak)[:-KEPT] if one not in self.cleared]
        # Estimates are meant to be too high by a third; here two of them are held against what was counted.
        added, saved = weight(last.positions, speak) * 3 // 4, weight(old, speak) * 3 // 4
        if saved >= LEAST and after - before < added - saved / 2:
            self.cleared.update(old)

    def without(self, one: Said) -> Said:
        if one.message.position not in self.cleared:
            return one
        blocks = tuple({**block, "content": CLEARED} for block in one.message.content)
        return replace(one, message=replace_fields(one.message, content=blocks))


def _clearable(segments: Sequence[Segment], speak: Speak) -> list[int]:
    found: list[int] = []
    for segment in segments:
        calls = [block for position in segment.answer if (one := speak(position)) for block in one.message.content]
        names = {text(block.get("id")): text(block.get("name")) for block in calls}
        for position in segment.results:
            one = speak(position)
            tools = [names.get(text(block.get("tool_use_id"))) for block in one.message.content] if one else []
            if not CLEARABLE.isdisjoint(tools):
                found.append(position)
    return found
