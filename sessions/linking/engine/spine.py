"""Finds the active branch: the newest row of the conversation, and the chain that leads to it through the whole
file."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from sessions.linking.engine.graph import ASSISTANT, OTHER, USER, Graph
from sessions.linking.engine.raw_fields import key, mapping
from sessions.transcripts.engine.flags import Flag

_RESULT = int(Flag.RESULT)
_SUMMARY = int(Flag.SUMMARY)
_TYPED = int(Flag.TYPED)


@dataclass(frozen=True, slots=True)
class Leaf:
    node: int
    start: int
    """The row of the conversation that the leaf follows: only attachments and notes are between them."""
    rewound: bool
    """A `last-prompt` record says that the session was rewound, and nothing was written since."""


def find_tips(graph: Graph) -> tuple[dict[int, int], int]:
    """For each parentless row, boundary and summary: the newest row of the conversation before it; and the last of all.

    File order decides. A tool result that answers an older message than the latest, or one from before a compaction,
    is out of order, not new; a repeated record is new only where a compaction kept it.
    """
    tips: dict[int, int] = {}
    tip, compacted, latest = -1, -1, -1
    rows, kind, flags, up = graph.rows, graph.kind, graph.flags, graph.up
    for i, node in enumerate(graph.node):
        if node < 0 or graph.side[i]:
            continue
        row = rows[i]
        boundary = i in graph.boundaries
        if node == i and (up[i] < 0 or boundary or (kind[i] == USER and flags[i] & _SUMMARY)):
            tips[i] = tip
        if node != i and node > compacted:
            continue
        if kind[i] == ASSISTANT:
            tip = latest = node
        elif kind[i] == USER:
            call = graph.calls.get(row.tool, -1) if flags[i] & _RESULT and row.tool is not None else -1
            is_new = compacted < call and latest >= 0 and rows[call].message == rows[latest].message
            if call < 0 or is_new:
                tip = node
        elif boundary:
            tip = compacted = node
    return tips, tip


def join_roots(graph: Graph, tips: dict[int, int]) -> None:
    """Rows without a parent continue from the row before: dangling parents are normal, and hooks and commands start
    new roots.

    A typed prompt that says it has no parent, in a file whose rows are otherwise linked, began anew.
    """
    for i, tip in tips.items():
        if graph.up[i] >= 0 or i in graph.before or tip < 0:
            continue
        typed = graph.kind[i] == USER and graph.flags[i] & _TYPED and graph.rows[i].parent is None
        if not typed or graph.up[tip] < 0:
            graph.before[i] = tip


def find_leaf(graph: Graph, tip: int, tails: Mapping[int, int], removed: Container[int]) -> Leaf:
    """The leaf of the session.

    1. The newest user or assistant row in file order (boundaries count; tool results out of order do not). 2. The last
    `last-prompt` record names another one, if its `leafUuid` is in the file and no newer row of the conversation
    follows either of them. It counts if a typed prompt comes between the two; if only answers and results do, the
    record merely lags behind the file. 3. A snipped row is no leaf: the row before it is. 4. Attachments, notes and
    progress that follow belong to it: the leaf is the last of them.
    """
    for _ in range(len(tails)):
        tip = tails.get(tip, tip)
    start, rewound = tip, False
    prompt_leaf = _last_prompt_leaf(graph)
    if prompt_leaf >= 0 and not _is_same_point(graph, prompt_leaf, tip):
        start, rewound = prompt_leaf, True
    while start in removed:
        start = graph.up[start]
    followers: dict[int, int] = {}
    for i in graph.chain:
        if graph.kind[i] == OTHER and not graph.side[i]:
            followers[graph.up[i]] = i
    node = start
    while node >= 0 and node in followers:
        node = followers[node]
    return Leaf(node, start, rewound)


def _last_prompt_leaf(graph: Graph) -> int:
    """The row that the last `last-prompt` names, unless newer rows of the conversation come after both."""
    rows, kind = graph.rows, graph.kind
    for i in range(len(rows) - 1, -1, -1):
        if rows[i].type == "last-prompt" and graph.node[i] < 0:
            leaf = graph.find(key(mapping(rows[i].extra).get("leafUuid")))
            if leaf < 0 or graph.side[leaf]:
                return -1
            newer = any(
                (kind[j] in (USER, ASSISTANT) and not graph.side[j]) or j in graph.boundaries
                for j in range(max(i, leaf) + 1, len(rows))
            )
            return -1 if newer else leaf
    return -1


def _is_same_point(graph: Graph, prompt_leaf: int, tip: int) -> bool:
    i = prompt_leaf
    while i >= 0 and i != tip and graph.kind[i] == OTHER:
        i = graph.up[i]
    if i == tip or (i >= 0 and message_of(graph, i) is not None and message_of(graph, i) == message_of(graph, tip)):
        return True
    i = tip
    while i >= 0 and i != prompt_leaf:
        if graph.kind[i] == USER and graph.flags[i] & _TYPED:
            return False
        i = graph.past[i]
    return i == prompt_leaf


def message_of(graph: Graph, i: int) -> int | None:
    """The assistant message that a row is part of or answers."""
    row = graph.rows[i]
    if graph.kind[i] == USER and graph.flags[i] & _RESULT and row.tool is not None:
        i = graph.calls.get(row.tool, -1)
    return graph.rows[i].message if i >= 0 and graph.kind[i] == ASSISTANT else None


def trace_spine(graph: Graph, leaf: int) -> list[int]:
    """The active chain through all compactions, oldest first."""
    chain: list[int] = []
    while leaf >= 0:
        chain.append(leaf)
        leaf = graph.past[leaf]
    chain.reverse()
    return chain
