"""Linking one transcript file: index first, then resolve."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.linking.engine import overlays as overlay
from sessions.linking.engine.branches import BranchRows, branches_of, sort_rows
from sessions.linking.engine.compaction import Boundary, boundaries, rehang
from sessions.linking.engine.ending import ending
from sessions.linking.engine.fates import (
    Cause,
    fates_of,
    marks_of,
    ranks,
    with_copies,
)
from sessions.linking.engine.graph import Graph, build, settle
from sessions.linking.engine.linked import LinkedTranscript
from sessions.linking.engine.rows import LinkRow
from sessions.linking.engine.sidechains import inline_agents
from sessions.linking.engine.spine import (
    find_leaf,
    join_roots,
    newest_before,
    spine_of,
)
from sessions.transcripts.engine.marks import Fate, Mark


def link(rows: Sequence[LinkRow]) -> LinkedTranscript:
    """Everything that the links of one file say: the active branch, what left the context and why, what hangs where.

    `rows` are all records in file order. Never fails: what cannot be resolved is a root, what is nonsense is absent.
    The rule for the leaf stands at `find_leaf`, that for branches in `branches`, that for fates in `fates`.
    """
    graph = build(rows)
    tips, tip = newest_before(graph)
    compactions = boundaries(graph, tips)
    tails = rehang(graph, compactions)
    overlays = overlay.read(graph)
    join_roots(graph, tips)
    settle(graph, overlays.snipped)
    leaf = find_leaf(graph, tip, tails, overlays.snipped)
    found = sort_rows(graph, spine_of(graph, leaf.node), overlays.snipped)
    agents, started = inline_agents(graph)
    return LinkedTranscript(
        leaf=rows[leaf.node].position if leaf.node >= 0 else None,
        marks=_marks(graph, found, compactions, overlays, started),
        duplicates=tuple(rows[i].position for i in graph.copies),
        inline_agents=tuple(agents),
        dangling=graph.dangling,
        cycles=graph.cycles,
        state=ending(graph, found, leaf, compactions, tails),
        find_parents=lambda: _parents(graph),
        find_branches=lambda: branches_of(graph, found, leaf.node),
    )


def _marks(
    graph: Graph,
    found: BranchRows,
    compactions: list[Boundary],
    overlays: overlay.Overlays,
    started: dict[int, int],
) -> tuple[Mark, ...]:
    fates = fates_of(graph, found, compactions, overlays)
    fates.update((i, (Fate.SIDECHAIN, call)) for i, call in started.items())
    layers: list[dict[int, Cause]] = [fates]
    for fate, causes in ((Fate.CLEARED, overlays.cleared), (Fate.PERSISTED, overlays.persisted)):
        layers.append({i: (fate, by) for i, by in causes.items() if by not in found.left})
    if not any(layers):
        return ()
    rank = ranks(graph)
    marks = [mark for layer in layers for mark in marks_of(graph, with_copies(graph, layer), rank)]
    return tuple(sorted(marks, key=lambda mark: (mark.first, mark.last, mark.fate)))


def _parents(graph: Graph) -> dict[int, int | None]:
    """Against what each record itself says: a repeated record is held against its first copy."""
    rows, up, get = graph.rows, graph.up, graph.index.get
    parents: dict[int, int | None] = {}
    for i in graph.chain:
        said = rows[i].parent
        plain = -1 if said is None else get(said, -1)
        if up[i] != plain or (said is not None and plain < 0):
            parents[rows[i].position] = rows[up[i]].position if up[i] >= 0 else None
    return parents
