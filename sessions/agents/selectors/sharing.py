"""Compares the first request of each agent with the parent's request that started it.

The contexts of one parent are made in one pass over its rows, so that many agents take few queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.agents.engine import SharedPrefix, compare_prompts
from sessions.agents.selectors.tree import Agent
from sessions.archive.selectors.records import fetch_all
from sessions.context.engine import Context, ContextBuilder
from sessions.context.engine.chain.out_of_order import AHEAD
from sessions.context.engine.request_log import MESSAGE, SHAPE
from sessions.linking.engine import LinkRow
from sessions.linking.selectors import LinkRows, load_each
from sessions.models import Request
from sessions.transcripts.engine.keys import key_of
from sessions.weights.engine import WeightTable
from sessions.weights.selectors import prompt_tokens, weigh, weight_tables

AT_ONCE = 500
SMALL = 1024 * 1024
"""Up to this many bytes, the records of several transcripts are fetched together."""


@dataclass(frozen=True, slots=True)
class AgentPrefix:
    agent: Agent
    shared_prefix: SharedPrefix | None
    why: str = ""
    """Why it is unknown."""
    parent: Request | None = None
    child: Request | None = None


def load_prefixes(agents: Sequence[Agent]) -> list[AgentPrefix]:
    requests = _load_requests(agents)
    pairs = {agent.key: (_calling_request(agent, requests), _first_request(agent, requests)) for agent in agents}
    positions: dict[int, set[int]] = {}
    for pair in pairs.values():
        for request in pair if all(pair) else ():
            if request is not None:
                positions.setdefault(request.transcript_id, set()).add(request.position)
    transcripts = {transcript.pk: transcript for agent in agents for transcript in (agent.transcript, agent.caller)}
    loaded = load_each({pk: (transcripts[pk].source_id, max(wanted) + 1) for pk, wanted in positions.items()})
    fetch_all(
        (links.reader, *place)
        for links, _ in loaded.values()
        if sum(length for _, length in links.locations.values()) <= SMALL
        for place in links.locations.values()
    )
    contexts = {
        (pk, context.position): context
        for pk, (links, rows) in loaded.items()
        for context in _contexts(links, rows, positions[pk])
    }
    tables = weight_tables({agent.transcript.pk for agent in agents})
    return [_compare(agent, *pairs[agent.key], contexts, tables[agent.transcript.pk]) for agent in agents]


def _compare(
    agent: Agent,
    parent: Request | None,
    child: Request | None,
    contexts: Mapping[tuple[int, int], Context],
    table: WeightTable,
) -> AgentPrefix:
    if parent is None:
        return AgentPrefix(agent, None, "No record says which request of its parent started it.", child=child)
    if child is None:
        return AgentPrefix(agent, None, "It has no request whose usage was recorded.", parent)
    parent_context = contexts.get((parent.transcript_id, parent.position))
    child_context = contexts.get((child.transcript_id, child.position))
    if parent_context is None or child_context is None:
        return AgentPrefix(agent, None, "The records of one of the two requests are gone.", parent, child)
    weights = weigh(child_context, table, prompt_tokens(child))
    shared = compare_prompts(parent_context, child_context, weights, read=child.cache_read)
    return AgentPrefix(agent, shared, "", parent, child)


def _load_requests(agents: Sequence[Agent]) -> dict[int, list[Request]]:
    """By transcript, in order of position: requests of the callers and of the agents."""
    ids = sorted({pk for agent in agents for pk in (agent.transcript.pk, agent.caller.pk)})
    requests: dict[int, list[Request]] = {}
    for start in range(0, len(ids), AT_ONCE):
        for request in Request.objects.filter(transcript_id__in=ids[start : start + AT_ONCE]).order_by("position"):
            requests.setdefault(request.transcript_id, []).append(request)
    return requests


def _calling_request(agent: Agent, requests: Mapping[int, list[Request]]) -> Request | None:
    """The request whose answer holds the call: the caller's last one that began at or before it."""
    call = agent.call
    if call is None:
        return None
    inline = agent.caller.parent_id is None
    earlier = [
        request
        for request in requests.get(agent.caller.pk, ())
        if request.position <= call and not (inline and request.agent)
    ]
    return earlier[-1] if earlier else None


def _first_request(agent: Agent, requests: Mapping[int, list[Request]]) -> Request | None:
    agent_requests = requests.get(agent.transcript.pk, ())
    if agent.inline is not None:
        agent_requests = [request for request in agent_requests if request.position in agent.inline.positions]
    owned = [request for request in agent_requests if request.owned]  # a fork's file repeats its parent's
    return owned[0] if owned else None


def _contexts(links: LinkRows, rows: Sequence[LinkRow], positions: Collection[int]) -> Iterator[Context]:
    """The contexts of the requests whose answers begin at these positions, in order."""
    rows = links.with_records(rows)
    logged = {row.tool: row.position for row in rows if row.type in (MESSAGE, SHAPE)}

    def lookup(hashes: Collection[str]) -> Iterable[Mapping[str, Any]]:
        positions_found = [logged[key] for digest in hashes if (key := key_of(digest)) in logged]
        links.fetch(positions_found)
        return [links.record(position) for position in positions_found]

    def later(position: int) -> Sequence[LinkRow]:
        following = links.load(position + 1, position + 1 + AHEAD)
        links.fetch([row.position for row in following])
        return following

    viewer = ContextBuilder(links.record, lookup, later)
    for row in rows:
        if row.position in positions:
            links.fetch([*viewer.needed_positions(row.parent, row.position), row.position])
            yield viewer.build_for_answer(row)
        viewer.feed(row)
