"""The end of a linked file as a `LinkState`, from which appended rows can go on."""

from __future__ import annotations

from collections.abc import Container, Sequence

from sessions.linking.engine.branches import BranchRows
from sessions.linking.engine.compaction import Boundary
from sessions.linking.engine.graph import ASSISTANT, OTHER, Graph
from sessions.linking.engine.spine import Leaf, message_of
from sessions.linking.engine.state import (
    AWAITED,
    GROUP,
    PASSED,
    PATH,
    TAIL,
    LinkState,
)
from sessions.transcripts.engine.flags import Flag

_RESULT = int(Flag.RESULT)
_WINDOW = 4 * TAIL


def ending(
    graph: Graph, found: BranchRows, leaf: Leaf, compactions: Sequence[Boundary], anchors: Container[int]
) -> LinkState:
    """Closed (no leaf) where the next row changes earlier marks, or where too many ids are awaited to remember.

    Anchors of kept rows are left out: what hangs on them gets another parent.
    """
    if leaf.node < 0 or leaf.rewound or len(graph.missing) > AWAITED:
        return LinkState(side=graph.agent_file)
    path: list[int] = []
    i = leaf.node
    while i != leaf.start:
        path.append(i)
        i = graph.up[i]
    path = [leaf.start, *reversed(path)]
    floor = compactions[-1].node if compactions else -1
    message = message_of(graph, leaf.start) if leaf.start > floor else None
    window = [i for i in graph.chain[-_WINDOW:] if i > floor and found.on[i] and i not in anchors]
    group, calls = _group(graph, window, path, message)
    tail = {i: GROUP if i in group else PASSED for i in window}
    for i in path:
        tail.pop(i, None)
        if i not in anchors:
            tail[i] = PATH
    uuids = {i: uuid for i in tail if (uuid := graph.rows[i].uuid) is not None}
    return LinkState(
        leaf=graph.rows[leaf.node].uuid,
        message=message,
        tail={uuids[i]: tail[i] for i in list(tail)[-TAIL:]},
        calls=dict(list(calls.items())[-TAIL:]),
        awaited=frozenset(graph.missing),
        side=graph.agent_file,
    )


def _group(graph: Graph, window: list[int], path: list[int], message: int | None) -> tuple[set[int], dict[int, int]]:
    """The rows of the last message, its results and what hangs on them; and its calls."""
    group = set(path)
    calls: dict[int, int] = {}
    for i in window:
        row = graph.rows[i]
        kind = graph.kind[i]
        if kind == ASSISTANT and message is not None and row.message == message:
            group.add(i)
            if row.tool is not None and row.uuid is not None and graph.calls.get(row.tool) == i:
                calls[row.tool] = row.uuid
        elif graph.up[i] in group if kind == OTHER else graph.flags[i] & _RESULT and row.tool in calls:
            group.add(i)
    return group, calls
