"""Compactions: which records were kept word for word, and how the chain runs across each boundary.

On disk the kept rows stay before the boundary, and the rows after it continue from the summary (A) or from the last
kept row (B); or the kept rows are written again after the summary (C). All three mean one chain: boundary, summary (the
anchor), kept rows, the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sessions.linking.engine.graph import ASSISTANT, USER, Graph
from sessions.linking.engine.raw_fields import key, keys, mapping
from sessions.transcripts.engine.flags import Flag

_SUMMARY = int(Flag.SUMMARY)


@dataclass(slots=True)
class Boundary:
    node: int
    tip: int
    """The newest row of the conversation when the boundary was written."""
    summary: int = -1
    anchor: int = -1
    preserved: list[int] = field(default_factory=list)


def find_boundaries(graph: Graph, tips: Mapping[int, int]) -> list[Boundary]:
    """Every compaction of the file, in file order.

    A summary without a boundary record (before 2.0.64) is a boundary itself; a boundary without a summary is complete.
    """
    compactions: list[Boundary] = []
    if not any(i in graph.boundaries or graph.flags[i] & _SUMMARY for i in tips):
        return compactions
    awaits_summary = False
    for i in graph.chain:
        if graph.side[i]:
            continue
        if i in graph.boundaries:
            compactions.append(Boundary(i, tips.get(i, -1)))
            awaits_summary = True
        elif graph.kind[i] == USER and graph.flags[i] & _SUMMARY:
            if not awaits_summary:
                compactions.append(Boundary(i, tips.get(i, -1)))
            compactions[-1].summary = i
            awaits_summary = False
        elif graph.kind[i] == ASSISTANT:
            awaits_summary = False
    return compactions


def attach_kept_rows(graph: Graph, compactions: list[Boundary]) -> dict[int, int]:
    """Makes each boundary a root and puts its kept rows after the anchor. Returns anchor -> last kept row."""
    for boundary in compactions:
        boundary.anchor = _find_anchor(graph, boundary)
    children = _children(graph, {boundary.anchor for boundary in compactions})
    last_kept: dict[int, int] = {}
    for boundary in compactions:
        boundary.preserved = _find_kept(graph, boundary)
        _set_history(graph, boundary)
        graph.up[boundary.node] = -1
        if boundary.preserved:
            last_kept[boundary.anchor] = _move_kept_rows(graph, boundary, children.get(boundary.anchor, []))
    return last_kept


def _metadata(graph: Graph, boundary: Boundary) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    metadata = mapping(mapping(graph.rows[boundary.node].extra).get("compactMetadata"))
    return mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))


def _find_anchor(graph: Graph, boundary: Boundary) -> int:
    segment, messages = _metadata(graph, boundary)
    anchor = graph.find(key(segment.get("anchorUuid")) or key(messages.get("anchorUuid")))
    if anchor >= 0:
        return anchor
    return boundary.summary if boundary.summary >= 0 else boundary.node


def _children(graph: Graph, parents: set[int]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for i in graph.chain if parents else ():
        if graph.up[i] in parents:
            children.setdefault(graph.up[i], []).append(i)
    return children


def _find_kept(graph: Graph, boundary: Boundary) -> list[int]:
    segment, messages = _metadata(graph, boundary)
    listed = keys(messages.get("uuids")) or [
        key_of_row for key_of_row in keys(messages.get("allUuids")) if key_of_row in graph.index
    ]
    nodes = dict.fromkeys(graph.find(key_of_row) for key_of_row in listed)
    preserved = [i for i in nodes if i >= 0 and i not in (boundary.anchor, boundary.node)]
    return preserved or _read_segment(graph, segment, boundary)


def _read_segment(graph: Graph, segment: Mapping[str, Any], boundary: Boundary) -> list[int]:
    """Reads the rows from head to tail, or to the newest row if that is unknown. Empty if they are not one chain."""
    head = graph.find(key(segment.get("headUuid")))
    if head < 0:
        return []
    tail = graph.find(key(segment.get("tailUuid")))
    i = tail if tail >= 0 else boundary.tip
    path: dict[int, None] = {}
    while i >= 0 and i != head and i not in path and i not in (boundary.anchor, boundary.node):
        path[i] = None
        i = graph.up[i]
    return [head, *reversed(path)] if i == head else []


def _set_history(graph: Graph, boundary: Boundary) -> None:
    """Sets what came before the boundary, and before rows that followed kept ones but were not kept themselves."""
    preserved = dict.fromkeys(boundary.preserved)
    previous_left_out: dict[int, int] = {}
    for i in boundary.preserved:
        _note_previous(graph, i, preserved, previous_left_out)
    start = _find_previous_leaf(graph, boundary, preserved)
    graph.before[boundary.node] = previous_left_out.get(start, start)
    if not preserved:
        return
    for i in range(min(preserved), boundary.node):
        if graph.node[i] == i and i not in preserved and not graph.side[i]:
            parent = graph.history(i)
            if parent in preserved:
                graph.before[i] = previous_left_out[parent]


def _note_previous(graph: Graph, start: int, preserved: Mapping[int, None], previous_left_out: dict[int, int]) -> None:
    """Notes, for a kept row, the nearest earlier row that was not kept."""
    path: dict[int, None] = {}
    i = start
    while i in preserved and i not in previous_left_out and i not in path:
        path[i] = None
        i = graph.first_up.get(i, graph.history(i))
    end = previous_left_out.get(i, -1 if i in path else i)
    previous_left_out.update((j, end) for j in path)


def _find_previous_leaf(graph: Graph, boundary: Boundary, preserved: Mapping[int, None]) -> int:
    """The leaf that the compaction left: `logicalParentUuid`, if it stands before the boundary, else the newest row.

    A prompt without an answer below that leaf is the /compact itself. An answer below it means that the session was
    rewound to the leaf.
    """
    node, tip = boundary.node, boundary.tip
    logical_parent = graph.find(key(mapping(graph.rows[node].extra).get("logicalParentUuid")))
    if logical_parent < 0 or logical_parent >= node or graph.side[logical_parent]:
        own = graph.up[node]
        return own if 0 <= own < node else tip
    for i in graph.ancestors(tip):
        if i == logical_parent:
            return tip
        if graph.kind[i] == ASSISTANT and i not in preserved:
            return logical_parent
    return logical_parent


def _move_kept_rows(graph: Graph, boundary: Boundary, children: list[int]) -> int:
    preserved, anchor = boundary.preserved, boundary.anchor
    segment, _ = _metadata(graph, boundary)
    members = set(preserved)
    graph.up[preserved[0]] = anchor
    for previous, i in pairwise(preserved):
        if graph.up[i] not in members:
            graph.up[i] = previous
    tail_node = graph.find(key(segment.get("tailUuid")))
    tail = tail_node if tail_node in members else preserved[-1]
    for i in children:
        if graph.up[i] == anchor and i not in members:
            graph.up[i] = tail
    return tail
