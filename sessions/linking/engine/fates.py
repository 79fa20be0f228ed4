"""The fate of every row, and marks as ranges of rows that share one.

A row has one fate of place: the first thing that took it out of the context counts, except that a kept row is
summarised (or kept) again by the next boundary. Cleared and persisted results are told beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from sessions.linking.engine.branches import BranchRows
from sessions.linking.engine.compaction import Boundary
from sessions.linking.engine.graph import OTHER, Graph
from sessions.linking.engine.overlays import Overlays
from sessions.linking.engine.raw_fields import mapping
from sessions.transcripts.engine.marks import Fate, Mark

Cause = tuple[Fate, int]
"""A fate and the row that caused it; -1 = no row."""


def fates_of(graph: Graph, found: BranchRows, compactions: list[Boundary], overlays: Overlays) -> dict[int, Cause]:
    fates: dict[int, Cause] = {i: (Fate.SNIPPED, cause) for i, cause in overlays.snipped.items()}
    for i, head in found.left.items():
        fates[i] = (Fate.ABANDONED, found.turned[head])
    _collapse(found, overlays, fates)
    _summarise(graph, found, compactions, fates)
    return fates


def _collapse(found: BranchRows, overlays: Overlays, fates: dict[int, Cause]) -> None:
    """The latest commit that covers a row counts. Each row is painted once, however the spans overlap."""
    further: dict[int, int] = {}
    for first, last, cause in reversed(overlays.collapsed):
        i = first
        while i <= last:
            if i in further:
                beyond = further[i]
                further[i] = further.get(beyond, beyond)
                i = beyond
                continue
            if found.on[i]:
                fates.setdefault(i, (Fate.COLLAPSED, cause))
            further[i] = i + 1


def _summarise(graph: Graph, found: BranchRows, compactions: list[Boundary], fates: dict[int, Cause]) -> None:
    """Boundaries on branches that were left behind summarised nothing of what is active."""
    begin = 0
    held: list[int] = []
    for boundary in compactions:
        node = boundary.node
        if not found.spine[node]:
            continue
        context = held + [i for i in range(begin, node) if found.on[i] and i not in fates]
        kept = _kept(graph, found, boundary, context)
        for i in context:
            fates[i] = (Fate.KEPT if i in kept else Fate.SUMMARISED, node)
        held = [i for i in context if i in kept]
        begin = node


def _kept(graph: Graph, found: BranchRows, boundary: Boundary, context: list[int]) -> set[int]:
    kept = set(boundary.kept) or _partly(graph, boundary, context)
    for i in context:
        if graph.kind[i] == OTHER and not found.spine[i] and graph.up[i] in kept:
            kept.add(i)
    return kept


def _partly(graph: Graph, boundary: Boundary, context: list[int]) -> set[int]:
    """A partial compaction that names no kept rows still says how many it summarised, and at which end."""
    if boundary.summary < 0:
        return set()
    partial = mapping(mapping(graph.rows[boundary.summary].extra).get("summarizeMetadata"))
    count = partial.get("messagesSummarized")
    if not isinstance(count, int) or not 0 < count < len(context):
        return set()
    if partial.get("direction") == "up_to":
        return set(context[count:])
    return set(context[:-count]) if partial.get("direction") == "from" else set()


def with_copies(graph: Graph, fates: dict[int, Cause]) -> dict[int, Cause]:
    """Copies share the fate of their first, unless the cause stands before the copy: then it was written anew."""
    for i in graph.copies:
        cause = fates.get(graph.node[i])
        if cause is not None and (cause[0] in (Fate.ABANDONED, Fate.SNIPPED, Fate.SIDECHAIN) or cause[1] > i):
            fates[i] = cause
    return fates


def ranks(graph: Graph) -> list[int]:
    """For each row the number of chain records up to it: neighbours differ by one, whatever stands between them."""
    return list(accumulate(node >= 0 for node in graph.node))


def marks_of(graph: Graph, fates: Mapping[int, Cause], rank: Sequence[int]) -> list[Mark]:
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
            marks.append(_mark(graph, first, last, current))
        first = last = i
        current = cause
    if current is not None:
        marks.append(_mark(graph, first, last, current))
    return marks


def _mark(graph: Graph, first: int, last: int, cause: Cause) -> Mark:
    by = graph.rows[cause[1]].position if cause[1] >= 0 else None
    return Mark(graph.rows[first].position, graph.rows[last].position, cause[0], by)
