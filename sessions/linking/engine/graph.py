"""The index of one file: every uuid once, resolved parents, no cycles. All rows are indexed before any parent is
resolved."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.linking.engine.late_progress import LateProgress
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

STATE, USER, ASSISTANT, OTHER = range(4)
"""Kinds of rows: without a uuid; the two of the conversation; all other links of the chain (artefacts)."""

_KINDS = {"user": USER, "assistant": ASSISTANT}
_SIDECHAIN = int(Flag.SIDECHAIN)
_CALL = int(Flag.CALL)
_SUMMARY = int(Flag.SUMMARY)


@dataclass(slots=True)
class Graph:
    """Nodes are indexes into `rows`; -1 means none. A repeated record keeps the place of its first copy."""

    rows: Sequence[LinkRow]
    flags: list[int]
    kind: bytearray
    node: list[int]
    """Row -> its node; -1 for state records."""
    chain: list[int]
    """The nodes in file order."""
    index: dict[int, int]
    """uuid -> node."""
    up: list[int]
    """Node -> its parent in the model's context."""
    before: dict[int, int]
    """Nodes whose parent in the session's history is another than in the context: boundaries, roots, abandoned rows."""
    past: list[int]
    """`up` with the entries of `before` in place of its own, once everything is settled."""
    side: bytearray
    """Rows of sub-agents inside a main file."""
    calls: dict[int, int]
    """tool_use id -> the node that makes the call."""
    first_up: dict[int, int]
    """Parents that repeated nodes had in their first copy."""
    copies: list[int]
    boundaries: set[int]
    missing: set[int] = field(default_factory=set)
    """Ids that records mention and that are not in the file."""
    dangling: int = 0
    cycles: int = 0
    agent_file: bool = False

    def find(self, key: int | None) -> int:
        """The node of a uuid; -1 if it is not (yet) in the file, which is noted."""
        if key is None:
            return -1
        node = self.index.get(key, -1)
        if node < 0:
            self.missing.add(key)
        return node

    def history(self, node: int) -> int:
        """What came before a node in the session, even if the model no longer saw it."""
        return self.before.get(node, self.up[node])

    def ancestors(self, node: int) -> Iterator[int]:
        """The node and its history. Links may still form cycles here; one is followed once at most."""
        for _ in self.chain:
            if node < 0:
                return
            yield node
            node = self.history(node)


def build_graph(rows: Sequence[LinkRow]) -> Graph:
    size = len(rows)
    flags = [int(row.flags) for row in rows]
    kind, node, side = bytearray(size), [-1] * size, bytearray(size)
    chain: list[int] = []
    copies: list[int] = []
    index: dict[int, int] = {}
    calls: dict[int, int] = {}
    boundaries: set[int] = set()
    has_main_rows = False
    for i, row in enumerate(rows):
        if row.uuid is None:
            continue
        first = node[i] = index.setdefault(row.uuid, i)
        kind[i] = row_kind = _KINDS.get(row.type, OTHER)
        if flags[i] & _SIDECHAIN:
            side[i] = 1
        elif row_kind != OTHER:
            has_main_rows = True
        if first != i:
            copies.append(i)
            continue
        chain.append(i)
        if row_kind == OTHER:
            if row.detail == "compact_boundary" and row.type == "system":
                boundaries.add(i)
        elif row_kind == ASSISTANT and row.tool is not None and flags[i] & _CALL:
            calls.setdefault(row.tool, i)
    if not has_main_rows:
        side = bytearray(size)
    up = [-1] * size
    graph = Graph(rows, flags, kind, node, chain, index, up, {}, [], side, calls, {}, copies, boundaries)
    graph.agent_file = not has_main_rows
    _set_parents(graph)
    return graph


def _set_parents(graph: Graph) -> None:
    """The last copy counts for links, the first for the position."""
    rows, up, find_node = graph.rows, graph.up, graph.index.get
    for i in graph.chain:
        parent = rows[i].parent
        if parent is not None:
            up[i] = find_node(parent, -1)
    stated_parents = {graph.node[copy]: rows[copy].parent for copy in graph.copies}
    for i, parent in stated_parents.items():
        graph.first_up[i] = up[i]
        up[i] = -1 if parent is None else find_node(parent, -1)
    for i in graph.chain:
        if up[i] < 0:
            parent = stated_parents.get(i, rows[i].parent)
            if parent is not None:
                graph.missing.add(parent)
                graph.dangling += 1
    _hang_on_latest(graph)
    graph.cycles += len(break_cycles(up))


def _hang_on_latest(graph: Graph) -> None:
    """Rows that follow progress which was written late follow the newest row of the conversation."""
    late, latest = LateProgress(), None
    for i in graph.chain:
        row = graph.rows[i]
        parent = late.parent_of(row, latest)
        if parent is not None and parent != row.parent:
            graph.up[i] = graph.index.get(parent, -1)
        late.feed(row, latest, parent)
        if graph.kind[i] != OTHER and not graph.side[i] and not graph.flags[i] & _SUMMARY:
            latest = row


def settle_chains(graph: Graph, removed: Mapping[int, int]) -> None:
    """Settles both chains, context and history: no cycles, no gaps where nodes were removed."""
    graph.cycles += len(break_cycles(graph.up))
    graph.past = graph.up.copy()
    for i, parent in graph.before.items():
        graph.past[i] = parent
    for i in break_cycles(graph.past, graph.before):
        graph.past[i] = _find_earlier(graph, i)
    if removed:
        bridge_removed(graph.up, graph.chain, removed)
        bridge_removed(graph.past, graph.chain, removed)


def _find_earlier(graph: Graph, root: int) -> int:
    """Finds the newest row of the conversation before a root that does not descend from it; tries a few."""
    tries = 8
    for i in range(root - 1, -1, -1):
        if graph.kind[i] not in (USER, ASSISTANT) or graph.node[i] != i or graph.side[i]:
            continue
        above = i
        while above >= 0 and above != root:
            above = graph.past[above]
        if above < 0:
            return i
        tries -= 1
        if not tries:
            break
    return -1


def break_cycles(up: list[int], synthetic: Container[int] = ()) -> list[int]:
    """Cuts every cycle at its earliest row, or at the earliest link that was only assumed. Returns the cut nodes.

    A cycle needs a link to a later row, so the search starts only from those.
    """
    cut: list[int] = []
    state = bytearray(len(up))
    for start in [i for i, parent in enumerate(up) if parent >= i]:
        path: list[int] = []
        i = start
        while i >= 0 and not state[i]:
            state[i] = 1
            path.append(i)
            i = up[i]
        if i >= 0 and state[i] == 1:
            ring = path[path.index(i) :]
            weakest = min((j for j in ring if j in synthetic), default=min(ring))
            up[weakest] = -1
            cut.append(weakest)
        for j in path:
            state[j] = 2
    return cut


def bridge_removed(up: list[int], nodes: Sequence[int], removed: Container[int]) -> None:
    """Reattaches children of removed nodes to the nearest ancestor that is left."""
    resolved: dict[int, int] = {}
    for i in nodes:
        parent = up[i]
        if parent not in removed or i in removed:
            continue
        gap: list[int] = []
        while parent in removed and parent not in resolved:
            gap.append(parent)
            parent = up[parent]
        parent = resolved.get(parent, parent)
        resolved.update((j, parent) for j in gap)
        up[i] = parent
