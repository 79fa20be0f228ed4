"""Linking one transcript file: index first, then resolve."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.linking.engine import overlays as overlay
from sessions.linking.engine.branches import BranchMembership, branches_of, sort_branches
from sessions.linking.engine.compaction import Boundary, attach_kept_rows, find_boundaries
from sessions.linking.engine.end_state import end_state
from sessions.linking.engine.fates import Cause, build_marks, chain_ranks, copy_fates, find_fates
from sessions.linking.engine.graph import Graph, build_graph, settle_chains
from sessions.linking.engine.linked_transcript import LinkedTranscript
from sessions.linking.engine.rows import LinkRow
from sessions.linking.engine.sidechains import find_inline_agents
from sessions.linking.engine.spine import find_leaf, find_tips, join_roots, trace_spine
from sessions.transcripts.engine.marks import Fate, Mark


def link(rows: Sequence[LinkRow]) -> LinkedTranscript:
    """Links one file: the active branch, what left the context and why, and the parent of each row.

    `rows` are all records in file order. Never fails: a row whose parent cannot be found is a root, and nonsense counts
    as absent. `find_leaf` explains the rule for the leaf, the modules `branches` and `fates` theirs.
    """
    graph = build_graph(rows)
    tips, tip = find_tips(graph)
    compactions = find_boundaries(graph, tips)
    tails = attach_kept_rows(graph, compactions)
    overlays = overlay.read_overlays(graph)
    join_roots(graph, tips)
    settle_chains(graph, overlays.snipped)
    leaf = find_leaf(graph, tip, tails, overlays.snipped)
    branches = sort_branches(graph, trace_spine(graph, leaf.node), overlays.snipped)
    agents, started = find_inline_agents(graph)
    return LinkedTranscript(
        leaf=rows[leaf.node].position if leaf.node >= 0 else None,
        marks=_build_marks(graph, branches, compactions, overlays, started),
        duplicates=tuple(rows[i].position for i in graph.copies),
        inline_agents=tuple(agents),
        dangling=graph.dangling,
        cycles=graph.cycles,
        state=end_state(graph, branches, leaf, compactions, tails),
        find_parents=lambda: _find_parents(graph),
        find_branches=lambda: branches_of(graph, branches, leaf.node),
    )


def _build_marks(
    graph: Graph,
    branches: BranchMembership,
    compactions: list[Boundary],
    overlays: overlay.Overlays,
    started: dict[int, int],
) -> tuple[Mark, ...]:
    fates = find_fates(graph, branches, compactions, overlays)
    fates.update((i, (Fate.SIDECHAIN, call)) for i, call in started.items())
    layers: list[dict[int, Cause]] = [fates]
    for fate, causes in ((Fate.CLEARED, overlays.cleared), (Fate.PERSISTED, overlays.persisted)):
        layers.append({i: (fate, by) for i, by in causes.items() if by not in branches.abandoned})
    if not any(layers):
        return ()
    rank = chain_ranks(graph)
    marks = [mark for layer in layers for mark in build_marks(graph, copy_fates(graph, layer), rank)]
    return tuple(sorted(marks, key=lambda mark: (mark.first, mark.last, mark.fate)))


def _find_parents(graph: Graph) -> dict[int, int | None]:
    """Finds parents that differ from what the record says; a repeated record is compared with its first copy."""
    rows, up, find_node = graph.rows, graph.up, graph.index.get
    parents: dict[int, int | None] = {}
    for i in graph.chain:
        stated = rows[i].parent
        stated_node = -1 if stated is None else find_node(stated, -1)
        if up[i] != stated_node or (stated is not None and stated_node < 0):
            parents[rows[i].position] = rows[up[i]].position if up[i] >= 0 else None
    return parents
