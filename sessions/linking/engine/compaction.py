"""Compactions: which records were kept word for word, and how the chain runs across each boundary.

On disk the kept rows stay before the boundary and the rows after it hang on the summary (A) or on the last kept row
(B), or the kept rows are written again behind the summary (C). In effect all three are one chain:
boundary, summary (the anchor), kept rows, the rest.
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
    kept: list[int] = field(default_factory=list)


def boundaries(graph: Graph, tips: Mapping[int, int]) -> list[Boundary]:
    """Every compaction of the file, in file order.

    A summary without a boundary record (before 2.0.64) is a boundary itself; a boundary without a summary is whole.
    """
    found: list[Boundary] = []
    if not any(i in graph.boundaries or graph.flags[i] & _SUMMARY for i in tips):
        return found
    waiting = False
    for i in graph.chain:
        if graph.side[i]:
            continue
        if i in graph.boundaries:
            found.append(Boundary(i, tips.get(i, -1)))
            waiting = True
        elif graph.kind[i] == USER and graph.flags[i] & _SUMMARY:
            if not waiting:
                found.append(Boundary(i, tips.get(i, -1)))
            found[-1].summary = i
            waiting = False
        elif graph.kind[i] == ASSISTANT:
            waiting = False
    return found


def rehang(graph: Graph, found: list[Boundary]) -> dict[int, int]:
    """Make each boundary a root and put its kept rows behind the anchor. Returns anchor -> last kept row."""
    for boundary in found:
        boundary.anchor = _anchor(graph, boundary)
    children = _children(graph, {boundary.anchor for boundary in found})
    tails: dict[int, int] = {}
    for boundary in found:
        boundary.kept = _kept(graph, boundary)
        _set_history(graph, boundary)
        graph.up[boundary.node] = -1
        if boundary.kept:
            tails[boundary.anchor] = _move(graph, boundary, children.get(boundary.anchor, []))
    return tails


def _metadata(graph: Graph, boundary: Boundary) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    metadata = mapping(mapping(graph.rows[boundary.node].extra).get("compactMetadata"))
    return mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))


def _anchor(graph: Graph, boundary: Boundary) -> int:
    segment, messages = _metadata(graph, boundary)
    named = graph.find(key(segment.get("anchorUuid")) or key(messages.get("anchorUuid")))
    if named >= 0:
        return named
    return boundary.summary if boundary.summary >= 0 else boundary.node


def _children(graph: Graph, parents: set[int]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for i in graph.chain if parents else ():
        if graph.up[i] in parents:
            children.setdefault(graph.up[i], []).append(i)
    return children


def _kept(graph: Graph, boundary: Boundary) -> list[int]:
    segment, messages = _metadata(graph, boundary)
    listed = keys(messages.get("uuids")) or [k for k in keys(messages.get("allUuids")) if k in graph.index]
    nodes = dict.fromkeys(graph.find(k) for k in listed)
    kept = [i for i in nodes if i >= 0 and i not in (boundary.anchor, boundary.node)]
    return kept or _segment(graph, segment, boundary)


def _segment(graph: Graph, segment: Mapping[str, Any], boundary: Boundary) -> list[int]:
    """The rows from head to tail; without a known tail, up to the newest row. Nothing if they are not one chain."""
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
    """What came before the boundary, and before those rows that hung on kept ones but were not kept themselves."""
    kept = dict.fromkeys(boundary.kept)
    around: dict[int, int] = {}
    for i in boundary.kept:
        _skip(graph, i, kept, around)
    start = _left(graph, boundary, kept)
    graph.before[boundary.node] = around.get(start, start)
    if not kept:
        return
    for i in range(min(kept), boundary.node):
        if graph.node[i] == i and i not in kept and not graph.side[i]:
            parent = graph.history(i)
            if parent in kept:
                graph.before[i] = around[parent]


def _skip(graph: Graph, start: int, kept: Mapping[int, None], around: dict[int, int]) -> None:
    """Note for a kept row the nearest row before it that was not kept."""
    path: dict[int, None] = {}
    i = start
    while i in kept and i not in around and i not in path:
        path[i] = None
        i = graph.first_up.get(i, graph.history(i))
    end = around.get(i, -1 if i in path else i)
    around.update((j, end) for j in path)


def _left(graph: Graph, boundary: Boundary, kept: Mapping[int, None]) -> int:
    """The leaf that the compaction left: `logicalParentUuid`, if it stands before the boundary, else the newest row.

    A prompt without an answer below that leaf is the /compact itself. An answer below it means that the session had
    gone back to the leaf.
    """
    node, tip = boundary.node, boundary.tip
    named = graph.find(key(mapping(graph.rows[node].extra).get("logicalParentUuid")))
    if named < 0 or named >= node or graph.side[named]:
        own = graph.up[node]
        return own if 0 <= own < node else tip
    for i in graph.ancestors(tip):
        if i == named:
            return tip
        if graph.kind[i] == ASSISTANT and i not in kept:
            return named
    return named


def _move(graph: Graph, boundary: Boundary, children: list[int]) -> int:
    kept, anchor = boundary.kept, boundary.anchor
    segment, _ = _metadata(graph, boundary)
    members = set(kept)
    graph.up[kept[0]] = anchor
    for previous, i in pairwise(kept):
        if graph.up[i] not in members:
            graph.up[i] = previous
    named = graph.find(key(segment.get("tailUuid")))
    tail = named if named in members else kept[-1]
    for i in children:
        if graph.up[i] == anchor and i not in members:
            graph.up[i] = tail
    return tail
