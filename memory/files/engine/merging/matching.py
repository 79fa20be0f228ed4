"""Matches the lines of two texts. Lines that are unique on both sides are matched first (patience diff), so that blank
lines do not outweigh sentences, and large texts take time in proportion to their length.

A merge must match repeated lines too, which diffs for people (`sessions/text/engine/diffs.py`) may leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from sessions.text.engine.matching import common_ends, unique_pairs

MOST_PAIRS = 250_000
"""difflib compares every pair of lines: larger stretches without unique lines count as replaced."""


class LineMatch(NamedTuple):
    """`size` lines starting at `left` are the same as those starting at `right`."""

    left: int
    right: int
    size: int


Span = tuple[int, int, int, int]
"""Start and end on the left, start and end on the right."""


def match_lines(left: Sequence[str], right: Sequence[str]) -> list[LineMatch]:
    """The matches in order: none is empty, and adjacent ones are joined."""
    found_matches: list[LineMatch] = []
    spans: list[Span] = [(0, len(left), 0, len(right))]
    while spans:
        span = spans.pop()
        edges, inner = _trim(left, right, span)
        found_matches += edges
        l1, l2, r1, r2 = inner
        if l1 == l2 or r1 == r2:
            continue
        anchors = [(l1 + i, r1 + j) for i, j in unique_pairs(left[l1:l2], right[r1:r2])]
        if anchors:
            spans += _spans_between(anchors, inner)
        elif (l2 - l1) * (r2 - r1) <= MOST_PAIRS:
            matcher = SequenceMatcher(None, left[l1:l2], right[r1:r2], autojunk=False)
            found_matches += [LineMatch(l1 + i, r1 + j, n) for i, j, n in matcher.get_matching_blocks() if n]
    return list(_join_adjacent(sorted(found_matches)))


def _trim(left: Sequence[str], right: Sequence[str], span: Span) -> tuple[list[LineMatch], Span]:
    l1, l2, r1, r2 = span
    head, tail = common_ends(left[l1:l2], right[r1:r2])
    ends = [LineMatch(l1, r1, head)] if head else []
    if tail:
        ends.append(LineMatch(l2 - tail, r2 - tail, tail))
    return ends, (l1 + head, l2 - tail, r1 + head, r2 - tail)


def _spans_between(anchors: list[tuple[int, int]], span: Span) -> Iterator[Span]:
    """The spans from each anchor to the next. Each begins with its anchor, which `_trim` then matches."""
    l1, l2, r1, r2 = span
    yield (l1, anchors[0][0], r1, anchors[0][1])
    for (left, right), (next_left, next_right) in zip(anchors, [*anchors[1:], (l2, r2)], strict=True):
        yield (left, next_left, right, next_right)


def _join_adjacent(sorted_matches: list[LineMatch]) -> Iterator[LineMatch]:
    current: LineMatch | None = None
    for match in sorted_matches:
        if current and current.left + current.size == match.left and current.right + current.size == match.right:
            current = LineMatch(current.left, current.right, current.size + match.size)
            continue
        if current:
            yield current
        current = match
    if current:
        yield current
