"""Sub-agents of 2.0.2x and earlier: their rows are in the main file, each agent with its own root and without an id."""

from __future__ import annotations

from sessions.linking.engine.graph import ASSISTANT, Graph
from sessions.linking.engine.linked_transcript import InlineAgent
from sessions.linking.engine.raw_fields import blocks, mapping, prose, text


def find_inline_agents(graph: Graph) -> tuple[list[InlineAgent], dict[int, int]]:
    """The agents, and side row -> the row of the call that started its agent (-1 = unknown)."""
    members: dict[int, list[int]] = {}
    for i, root in _find_roots(graph).items():
        members.setdefault(root, []).append(i)
    if not members:
        return [], {}
    prompts = _read_prompts(graph)
    used_calls: set[int] = set()
    agents: list[InlineAgent] = []
    starting_calls: dict[int, int] = {}
    for root in sorted(members):
        call = _find_call(graph, root, prompts, used_calls)
        used_calls.add(call)
        nodes = members[root]
        starting_calls.update((i, call) for i in nodes)
        rows = graph.rows
        agents.append(
            InlineAgent(
                rows[root].position,
                rows[min(nodes)].position,
                rows[max(nodes)].position,
                len(nodes),
                rows[call].position if call >= 0 else None,
            )
        )
    return agents, starting_calls


def _find_roots(graph: Graph) -> dict[int, int]:
    """Each side row's root: its topmost ancestor that is still a side row."""
    roots: dict[int, int] = {}
    for start in graph.chain:
        if not graph.side[start]:
            continue
        path: list[int] = []
        i = start
        while i not in roots:
            path.append(i)
            parent = graph.up[i]
            if parent < 0 or not graph.side[parent]:
                roots[i] = i
                break
            i = parent
        roots.update((j, roots[i]) for j in path)
    return roots


def _read_prompts(graph: Graph) -> dict[str, list[int]]:
    prompts: dict[str, list[int]] = {}
    for i in graph.chain:
        if graph.kind[i] == ASSISTANT and graph.rows[i].extra is not None:
            for block in blocks(graph.rows[i].extra):
                prompt = text(mapping(block.get("input")).get("prompt")).strip()
                if block.get("type") == "tool_use" and prompt:
                    prompts.setdefault(prompt, []).append(i)
    return prompts


def _find_call(graph: Graph, root: int, prompts: dict[str, list[int]], used_calls: set[int]) -> int:
    """The first call with the root's words that has no agent yet; equal prompts are matched in file order."""
    unused = [i for i in prompts.get(prose(graph.rows[root].extra), ()) if i not in used_calls and i < root]
    return unused[0] if unused else -1
