"""The fate of every row, and marks as ranges of rows that share one.

The first thing that took a row out of the context decides its fate, except that the next boundary summarises (or keeps)
a kept row again. Cleared and persisted results get an extra mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from sessions.linking.engine.branches import BranchMembership
from sessions.linking.engine.compaction import Boundary
from sessions.linking.engine.graph import OTHER, Graph
from sessions.linking.engine.overlays import Overlays
from sessions.linking.engine.raw_fields import mapping
from sessions.transcripts.engine.marks import Fate, Mark

Cause = tuple[Fate, int]
"""A fate and the row that caused it; -1 = no row."""


def find_fates(
    graph: Graph, branches: BranchMembership, compactions: list[Boundary], overlays: Overlays
) -> dict[int, Cause]:
    fates: dict[int, Cause] = {i: (Fate.SNIPPED, cause) for i, cause in overlays.snipped.items()}
    for i, head in branches.abandoned.items():
        fates[i] = (Fate.ABANDONED, branches.continued_by[head])
    _collapse(branches, overlays, fates)
    _summarise(graph, branches, compactions, fates)
    return fates


def _collapse(branches: BranchMembership, overlays: Overlays, fates: dict[int, Cause]) -> None:
    """The latest commit that covers a row counts. Each row is marked once, however the spans overlap."""
    next_free: dict[int, int] = {}
    for first, last, cause in reversed(overlays.collapsed):
        i = first
        while i <= last:
            if i in next_free:
                next_node = next_free[i]
                next_free[i] = next_free.get(next_node, next_node)
                i = next_node
                continue
            if branches.on_active[i]:
                fates.setdefault(i, (Fate.COLLAPSED, cause))
            next_free[i] = i + 1


def _summarise(graph: Graph, branches: BranchMembership, compactions: list[Boundary], fates: dict[int, Cause]) -> None:
    """Boundaries on abandoned branches did not summarise any active row."""
    begin = 0
    carried_over: list[int] = []
    for boundary in compactions:
        node = boundary.node
        if not branches.spine[node]:
            continue
        context = carried_over + [i for i in range(begin, node) if branches.on_active[i] and i not in fates]
        preserved = _find_kept(graph, branches, boundary, context)
        for i in context:
            fates[i] = (Fate.KEPT if i in preserved else Fate.SUMMARISED, node)
        carried_over = [i for i in context if i in preserved]
        begin = node


def _find_kept(graph: Graph, branches: BranchMembership, boundary: Boundary, context: list[int]) -> set[int]:
    preserved = set(boundary.preserved) or _find_partly_kept(graph, boundary, context)
    for i in context:
        if graph.kind[i] == OTHER and not branches.spine[i] and graph.up[i] in preserved:
            preserved.add(i)
    return preserved


def _find_partly_kept(graph: Graph, boundary: Boundary, context: list[int]) -> set[int]:
    """A partial compaction that names no kept rows still tells how many rows it summarised, and at which end."""
    if boundary.summary < 0:
        return set()
    partial = mapping(mapping(graph.rows[boundary.summary].extra).get("summarizeMetadata"))
    count = partial.get("messagesSummarized")
    if not isinstance(count, int) or not 0 < count < len(context):
        return set()
    if partial.get("direction") == "up_to":
        return set(context[count:])
    return set(context[:-count]) if partial.get("direction") == "from" else set()


def copy_fates(graph: Graph, fates: dict[int, Cause]) -> dict[int, Cause]:
    """A copy shares the fate of the first one, unless the cause came before the copy, which was then written again."""
    for i in graph.copies:
        cause = fates.get(graph.node[i])
        if cause is not None and (cause[0] in (Fate.ABANDONED, Fate.SNIPPED, Fate.SIDECHAIN) or cause[1] > i):
            fates[i] = cause
    return fates


def chain_ranks(graph: Graph) -> list[int]:
    """For each row, the number of chain records up to it: neighbours in the chain differ by one, whatever is between
    them."""
    return list(accumulate(node >= 0 for node in graph.node))


def build_marks(graph: Graph, fates: Mapping[int, Cause], rank: Sequence[int]) -> list[Mark]:
    """Runs of rows with one fate and cause. State records between them do not break a run."""
    marks: list[Mark] = []
    first = last = -1
    current: Cause | None = None
    for i in sorted(fates):
        cause = fates[i]
        if cause == current and rank[i] - rank[last] == 1:
            last = i
            continue
        if current is not None:
            marks.append(_build_mark(graph, first, last, current))
        first = last = i
        current = cause
    if current is not None:
        marks.append(_build_mark(graph, first, last, current))
    return marks


def _build_mark(graph: Graph, first: int, last: int, cause: Cause) -> Mark:
    by = graph.rows[cause[1]].position if cause[1] >= 0 else None
    return Mark(graph.rows[first].position, graph.rows[last].position, cause[0], by)
