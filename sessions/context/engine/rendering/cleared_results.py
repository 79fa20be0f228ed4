"""Old results that 2.0.76 clears without recording it. The tokens that the API counted show when: a request that is
lighter than the one before by at least half of what these results weigh was sent without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.token_cost import RenderAt, estimate_tokens, request_tokens
from sessions.context.engine.rendering.overlays import CLEARED
from sessions.context.engine.rendering.records import RenderedRecord
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import replace_fields

RECENT_RESULTS = 3
"""The latest results, which are never cleared."""
MIN_TOKENS = 20_000
"""The client clears nothing if it saves fewer tokens."""
CLEARABLE = frozenset({"Bash", "Edit", "Glob", "Grep", "MultiEdit", "Read", "WebFetch", "WebSearch", "Write"})


@dataclass(slots=True)
class ResultClearing:
    cleared: set[int] = field(default_factory=set)
    """The positions of cleared results."""
    _since: int = -1

    def advance(self, segments: Sequence[Segment], same: int, render: RenderAt, answer: int, since: int) -> bool:
        """Take the segments of the next context, and return whether other results are cleared than before. `answer`:
        its answer; `since`: where the session was resumed, which brings all results back."""
        former = len(self.cleared), self._since
        if since != self._since or not same:
            self.cleared, self._since, same = set(), since, 0
        for index in range(same, len(segments)):
            following = segments[index + 1].answer[-1:] if index + 1 < len(segments) else [answer]
            if following and following[0] > since and segments[index].answer:
                self._examine_request(segments, index, render, following[0])
        return former != (len(self.cleared), self._since)

    def _examine_request(self, segments: Sequence[Segment], index: int, render: RenderAt, following: int) -> None:
        """Which results up to this segment were cleared in the request with this answer?"""
        last = segments[index]
        before, after = request_tokens(render(last.answer[-1])), request_tokens(render(following))
        if not after < before:
            return
        old = [
            position
            for position in _clearable_results(segments[: index + 1], render)[:-RECENT_RESULTS]
            if position not in self.cleared
        ]
        # Estimates are a third too high on purpose; here two of them are compared with real counts.
        added, saved = estimate_tokens(last.positions, render) * 3 // 4, estimate_tokens(old, render) * 3 // 4
        if saved >= MIN_TOKENS and after - before < added - saved / 2:
            self.cleared.update(old)

    def clear(self, record: RenderedRecord) -> RenderedRecord:
        if record.message.position not in self.cleared:
            return record
        blocks = tuple({**block, "content": CLEARED} for block in record.message.content)
        return replace(record, message=replace_fields(record.message, content=blocks))


def _clearable_results(segments: Sequence[Segment], render: RenderAt) -> list[int]:
    positions: list[int] = []
    for segment in segments:
        calls = [
            block for position in segment.answer if (record := render(position)) for block in record.message.content
        ]
        names = {text(block.get("id")): text(block.get("name")) for block in calls}
        for position in segment.results:
            record = render(position)
            tools = [names.get(text(block.get("tool_use_id"))) for block in record.message.content] if record else []
            if not CLEARABLE.isdisjoint(tools):
                positions.append(position)
    return positions
