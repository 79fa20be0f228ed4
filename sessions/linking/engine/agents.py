"""Who started whom among the sub-agents of all files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sessions.linking.engine.evidence import AgentFacts, Evidence, Sighting

__all__ = ["AgentFacts", "AgentNode", "AgentTree", "Evidence", "build_agent_tree"]


@dataclass(frozen=True, slots=True)
class AgentNode:
    id: str
    parent: str
    """The agent that started it; empty for the session itself, or if unknown."""
    call: int | None
    """The position of the call in the parent's transcript."""
    how: Evidence
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentTree:
    nodes: Mapping[str, AgentNode]
    roots: tuple[str, ...]

    def walk(self) -> Iterator[tuple[int, AgentNode]]:
        """Yields depth and node, parents before children. The session's own agents have depth 1."""
        waiting = [(1, name) for name in reversed(self.roots)]
        while waiting:
            depth, name = waiting.pop()
            node = self.nodes[name]
            yield depth, node
            waiting.extend((depth + 1, child) for child in reversed(node.children))


def build_agent_tree(
    agents: Sequence[AgentFacts], calls: Mapping[str, tuple[str, int]], sightings: Iterable[Sighting] = ()
) -> AgentTree:
    """Who started whom, in one session.

    `calls`: tool_use id -> (the agent that made the call, "" for the main thread; its position there). `sightings`: ids
    of agents in the records of those that may have started them. An agent whose start is not recorded is placed below
    the session, with `Evidence.UNKNOWN`.
    """
    agents_by_id = {agent.id: agent for agent in agents}
    by_agent: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        if sighting.agent in agents_by_id and sighting.agent != sighting.owner:
            by_agent.setdefault(sighting.agent, []).append(sighting)
    nodes = {
        name: _find_starter(agent, agents_by_id, calls, by_agent.get(name, [])) for name, agent in agents_by_id.items()
    }
    _break_rings(nodes)
    children: dict[str, list[AgentNode]] = {}
    for node in nodes.values():
        children.setdefault(node.parent, []).append(node)
    for name, below in children.items():
        if name:
            nodes[name] = replace(nodes[name], children=_order(below))
    return AgentTree(nodes, _order(children.get("", [])))


def _find_starter(
    agent: AgentFacts,
    agents_by_id: Mapping[str, AgentFacts],
    calls: Mapping[str, tuple[str, int]],
    found_sightings: list[Sighting],
) -> AgentNode:
    order = list(Evidence)
    found_sightings = sorted(found_sightings, key=lambda sighting: order.index(sighting.how))
    for how, tool in [
        (Evidence.META, agent.tool_use_id),
        *((sighting.how, sighting.tool_use_id) for sighting in found_sightings),
    ]:
        owner, position = calls.get(tool, (agent.id, -1)) if tool else (agent.id, -1)
        if owner != agent.id and (not owner or owner in agents_by_id):
            return AgentNode(agent.id, owner, position, how)
    if agent.parent_id in agents_by_id and agent.parent_id != agent.id:
        return AgentNode(agent.id, agent.parent_id, None, Evidence.META)
    for sighting in found_sightings:
        if not sighting.owner or sighting.owner in agents_by_id:
            return AgentNode(agent.id, sighting.owner, None, sighting.how)
    if agent.depth == 1 and not agent.parent_id:
        return AgentNode(agent.id, "", None, Evidence.META)
    return AgentNode(agent.id, "", None, Evidence.UNKNOWN)


def _break_rings(nodes: dict[str, AgentNode]) -> None:
    """Of agents that claim to have started each other, the first by name is placed below the session."""
    sound: set[str] = {""}
    for start in sorted(nodes):
        path: dict[str, None] = {}
        name = start
        while name not in sound and name not in path:
            path[name] = None
            name = nodes[name].parent
        if name in path:
            ring = list(path)
            first = min(ring[ring.index(name) :])
            nodes[first] = AgentNode(first, "", None, Evidence.UNKNOWN)
        sound.update(path)


def _order(nodes: list[AgentNode]) -> tuple[str, ...]:
    return tuple(node.id for node in sorted(nodes, key=lambda node: (node.call is None, node.call or 0, node.id)))
