"""What stands beside the chain is looked for once, and found as if it had been looked for each time."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sessions.context.engine.chain import token_cost
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.token_cost import OffChainRows


def segment(answer: list[int], rest: list[int]) -> Segment:
    return Segment(message=None, answer=answer, results=[], rest=rest, links=[])


def looked_for(segments: Sequence[Segment], prompt: int, since: int, off: set[int]) -> set[int]:
    """One after the other, backwards."""
    positions: set[int] = set()
    for segment in reversed(segments):
        if max(segment.answer or segment.rest, default=-1) < since:
            break
        positions |= {position for position in segment.positions if since <= position < prompt and position in off}
    return positions


@given(
    places=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30),
    off=st.sets(st.integers(0, 90)),
    asked=st.lists(st.tuples(st.integers(0, 29), st.integers(0, 90)), max_size=20),
)
def test_it_finds_what_a_walk_back_finds(
    places: list[tuple[int, int]], off: set[int], asked: list[tuple[int, int]]
) -> None:
    segments, position = [], 0
    for answers, others in places:
        numbers = list(range(position, position + answers + others))
        segments.append(segment(numbers[:answers], numbers[answers:]))
        position += answers + others
    off_chain_rows = OffChainRows(segments, lambda position: position not in off)
    since = -1
    for number, later in sorted(asked):
        index = min(number, len(segments) - 1)
        prompt = max(segments[index].positions, default=0)
        since = max(since, min(later, prompt) if later % 5 == 0 else since)
        assert set(off_chain_rows.find_before(prompt, index, since)) == looked_for(
            segments[: index + 1], prompt, since, off
        )


def test_ten_thousand_prompts_look_at_each_segment_once() -> None:
    segments = [segment([2 * number], [2 * number + 1]) for number in range(10_000)]
    off_chain_rows = OffChainRows(segments, lambda _: True)
    for number in range(len(segments)):
        assert off_chain_rows.find_before(2 * number + 1, number, -1) == []
    assert off_chain_rows.looked_at == len(segments)


def test_no_prompt_weighs_more_than_so_many_rows() -> None:
    count = 2 * token_cost.MAX_OFF_CHAIN
    segments = [segment([2 * number], [2 * number + 1]) for number in range(count)]
    off_chain_rows = OffChainRows(segments, lambda position: bool(position % 2))
    positions = off_chain_rows.find_before(2 * count, count - 1, -1)
    assert len(positions) == token_cost.MAX_OFF_CHAIN
    assert max(positions) == 2 * count - 2
