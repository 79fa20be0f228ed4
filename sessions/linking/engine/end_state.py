"""Takes the end of a linked file as a `LinkState`, from which linking continues when rows are appended."""

from __future__ import annotations

from collections.abc import Container, Sequence

from sessions.linking.engine.branches import BranchMembership
from sessions.linking.engine.compaction import Boundary
from sessions.linking.engine.graph import ASSISTANT, OTHER, Graph
from sessions.linking.engine.spine import Leaf, message_of
from sessions.linking.engine.state import AWAITED, GROUP, PASSED, PATH, TAIL, LinkState
from sessions.transcripts.engine.flags import Flag

_RESULT = int(Flag.RESULT)
_WINDOW = 4 * TAIL


def end_state(
    graph: Graph, branches: BranchMembership, leaf: Leaf, compactions: Sequence[Boundary], anchors: Container[int]
) -> LinkState:
    """Closed (no leaf) if the next row may change earlier marks, or if too many ids would have to be remembered.

    Anchors of kept rows are left out, because rows that follow them get another parent.
    """
    if leaf.node < 0 or leaf.rewound or len(graph.missing) > AWAITED:
        return LinkState(side=graph.agent_file)
    path: list[int] = []
    node = leaf.node
    while node != leaf.start:
        path.append(node)
        node = graph.up[node]
    path = [leaf.start, *reversed(path)]
    floor = compactions[-1].node if compactions else -1
    message = message_of(graph, leaf.start) if leaf.start > floor else None
    window = [
        node for node in graph.chain[-_WINDOW:] if node > floor and branches.on_active[node] and node not in anchors
    ]
    group, calls = _find_last_group(graph, window, path, message)
    tail = {node: GROUP if node in group else PASSED for node in window}
    for node in path:
        tail.pop(node, None)
        if node not in anchors:
            tail[node] = PATH
    uuids = {node: uuid for node in tail if (uuid := graph.rows[node].uuid) is not None}
    return LinkState(
        leaf=graph.rows[leaf.node].uuid,
        message=message,
        tail={uuids[node]: tail[node] for node in list(tail)[-TAIL:]},
        calls=dict(list(calls.items())[-TAIL:]),
        awaited=frozenset(graph.missing),
        side=graph.agent_file,
    )


def _find_last_group(
    graph: Graph, window: list[int], path: list[int], message: int | None
) -> tuple[set[int], dict[int, int]]:
    """The rows of the last message, its results and the rows that follow those; and its calls."""
    group = set(path)
    calls: dict[int, int] = {}
    for node in window:
        row = graph.rows[node]
        kind = graph.kind[node]
        if kind == ASSISTANT and message is not None and row.message == message:
            group.add(node)
            if row.tool is not None and row.uuid is not None and graph.calls.get(row.tool) == node:
                calls[row.tool] = row.uuid
        elif graph.up[node] in group if kind == OTHER else graph.flags[node] & _RESULT and row.tool in calls:
            group.add(node)
    return group, calls
