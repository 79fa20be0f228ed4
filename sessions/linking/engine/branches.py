"""Tells which rows beside the active chain belong to it, and which were abandoned by a rewind.

Several children of one row are mostly no branches: parallel tool results, blocks of one message, hook output, progress.
A real branch holds an answer of another message or a typed prompt.
"""

from __future__ import annotations

from dataclasses import dataclass

from sessions.linking.engine.graph import ASSISTANT, USER, Graph
from sessions.linking.engine.linked_transcript import Branch
from sessions.transcripts.engine.flags import Flag

_TYPED = int(Flag.TYPED)
_RESULT = int(Flag.RESULT)
_ON, _LEFT, _REPLAY = 1, 2, 3


@dataclass(slots=True)
class BranchMembership:
    on_active: bytearray
    """Nodes of the active branch, side rows that belong to it included."""
    spine: bytearray
    abandoned: dict[int, int]
    """Abandoned nodes -> the first node of their branch."""
    heads: list[int]
    """The first nodes of abandoned branches."""
    continued_by: dict[int, int]
    """First node of an abandoned branch -> the node that continues from the same fork, -1 if none does."""


def sort_branches(graph: Graph, spine: list[int], removed: dict[int, int]) -> BranchMembership:
    on_spine = bytearray(len(graph.rows))
    following: dict[int, int] = {}
    for previous, i in zip([-1, *spine], spine, strict=False):
        on_spine[i] = 1
        following[previous] = i
    side_nodes = [i for i in graph.chain if not on_spine[i] and not graph.side[i] and i not in removed]
    joined = _find_active_pieces(graph, spine, side_nodes)
    order = _parents_first(graph, side_nodes)
    holds_talk = _mark_talk(graph, order, joined, on_spine)
    branches = BranchMembership(on_spine[:], on_spine, {}, [], {})
    fate = on_spine[:]
    for i in order:
        parent = graph.past[i]
        parent_fate = fate[parent] if parent >= 0 else _ON
        if i in joined:
            fate[i] = _ON
        elif parent_fate in (_LEFT, _REPLAY):
            fate[i] = parent_fate
        elif not holds_talk[i]:
            fate[i] = _ON
        else:
            active = following.get(parent, -1)
            fate[i] = _REPLAY if _is_replay(graph, i, active) else _LEFT
            if fate[i] == _LEFT:
                branches.heads.append(i)
                branches.continued_by[i] = active
        if fate[i] == _LEFT:
            branches.abandoned[i] = branches.abandoned.get(parent, i) if parent_fate == _LEFT else i
        else:
            branches.on_active[i] = 1
    return branches


def _find_active_pieces(graph: Graph, spine: list[int], side_nodes: list[int]) -> set[int]:
    """Finds the other blocks of messages on the spine, and the results of all their calls."""
    rows, kind = graph.rows, graph.kind
    messages = {rows[i].message for i in spine if kind[i] == ASSISTANT} - {None}
    active = {i for i in side_nodes if kind[i] == ASSISTANT and rows[i].message in messages}
    answered = {tool for tool, call in graph.calls.items() if rows[call].message in messages or call in active} | {
        rows[i].tool for i in spine if kind[i] == ASSISTANT
    }
    for i in side_nodes:
        if kind[i] == USER and graph.flags[i] & _RESULT and rows[i].tool is not None and rows[i].tool in answered:
            active.add(i)
    return active


def _parents_first(graph: Graph, nodes: list[int]) -> list[int]:
    """File order, except that a parent comes before its child even if it stands later."""
    past = graph.past
    if all(past[i] < i for i in nodes):
        return nodes
    waiting = dict.fromkeys(nodes)
    order: list[int] = []
    for i in nodes:
        path: list[int] = []
        while i in waiting:
            del waiting[i]
            path.append(i)
            i = past[i]
        order.extend(reversed(path))
    return order


def _mark_talk(graph: Graph, order: list[int], active: set[int], on_spine: bytearray) -> bytearray:
    """Whether the side branch that begins at a node contains conversation."""
    holds_talk = bytearray(len(graph.rows))
    for i in reversed(order):
        if i in active:
            holds_talk[i] = 0
            continue
        kind = graph.kind[i]
        if kind == ASSISTANT or (kind == USER and graph.flags[i] & _TYPED):
            holds_talk[i] = 1
        parent = graph.past[i]
        if holds_talk[i] and parent >= 0 and not on_spine[parent]:
            holds_talk[parent] = 1
    return holds_talk


def _is_replay(graph: Graph, i: int, active: int) -> bool:
    """Retries and replays write the same record again with a new uuid but its old time."""
    if active < 0:
        return False
    row, other = graph.rows[i], graph.rows[active]
    return row.at is not None and row.at == other.at and row.type == other.type


def branches_of(graph: Graph, rows_by_branch: BranchMembership, leaf: int) -> tuple[Branch, ...]:
    """The abandoned branches and, for each fork on the active chain, the active one."""
    members: dict[int, list[int]] = {}
    for i, head in rows_by_branch.abandoned.items():
        members.setdefault(head, []).append(i)
    rows = graph.rows
    branches: list[Branch] = []
    continuations: dict[int, int] = {}
    for head in rows_by_branch.heads:
        fork = graph.past[head]
        nodes = members[head]
        first, last = rows[min(nodes)].position, rows[max(nodes)].position
        branches.append(Branch(_position(graph, fork), first, last, len(nodes), active=False))
        if rows_by_branch.continued_by[head] >= 0:
            continuations[fork] = rows_by_branch.continued_by[head]
    for fork, i in continuations.items():
        size = sum(rows_by_branch.on_active[i:])
        branches.append(Branch(_position(graph, fork), rows[i].position, rows[leaf].position, size, active=True))
    return tuple(sorted(branches, key=lambda branch: (branch.first, branch.active)))


def _position(graph: Graph, i: int) -> int | None:
    return graph.rows[i].position if i >= 0 else None
