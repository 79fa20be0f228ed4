"""How much of its parent's prompt each agent shared: the first request of the one, and the request that called for it.

The contexts of one parent are made in one pass over its rows, so that many agents take few queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.agents.engine import Sharing, share
from sessions.agents.selectors.tree import Agent
from sessions.archive.selectors.records import fetch_all
from sessions.context.engine import Context, ContextBuilder
from sessions.context.engine.chain.out_of_order import AHEAD
from sessions.context.engine.request_log import MESSAGE, SHAPE
from sessions.linking.engine import LinkRow
from sessions.linking.selectors import LinkRows, load_each
from sessions.models import Request
from sessions.transcripts.engine.keys import key_of

AT_ONCE = 500
SMALL = 1024 * 1024
"""Bytes of records up to a first request that are fetched together with those of the others."""


@dataclass(frozen=True, slots=True)
class Shared:
    agent: Agent
    sharing: Sharing | None
    why: str = ""
    """Why it cannot be told."""
    parent: Request | None = None
    child: Request | None = None


def sharing_of(agents: Sequence[Agent]) -> list[Shared]:
    asked = _requests(agents)
    pairs = {one.key: (_calling(one, asked), _first(one, asked)) for one in agents}
    wanted: dict[int, set[int]] = {}
    for pair in pairs.values():
        for request in pair if all(pair) else ():
            if request is not None:
                wanted.setdefault(request.transcript_id, set()).add(request.position)
    transcripts = {one.pk: one for agent in agents for one in (agent.transcript, agent.caller)}
    loaded = load_each({pk: (transcripts[pk].source_id, max(some) + 1) for pk, some in wanted.items()})
    fetch_all(
        (links.reader, *place)
        for links, _ in loaded.values()
        if sum(length for _, length in links.locations.values()) <= SMALL
        for place in links.locations.values()
    )
    contexts = {
        (pk, context.position): context
        for pk, (links, rows) in loaded.items()
        for context in _contexts(links, rows, wanted[pk])
    }
    return [_shared(one, *pairs[one.key], contexts) for one in agents]


def _shared(
    agent: Agent, parent: Request | None, child: Request | None, contexts: Mapping[tuple[int, int], Context]
) -> Shared:
    if parent is None:
        return Shared(agent, None, "No record says which request of its parent started it.", child=child)
    if child is None:
        return Shared(agent, None, "It has no request whose usage was recorded.", parent)
    theirs = contexts.get((parent.transcript_id, parent.position))
    mine = contexts.get((child.transcript_id, child.position))
    if theirs is None or mine is None:
        return Shared(agent, None, "The records of one of the two requests are gone.", parent, child)
    prompt = child.input + child.cache_read + child.cache_write_5m + child.cache_write_1h
    return Shared(agent, share(theirs, mine, read=child.cache_read, prompt=prompt), "", parent, child)


def _requests(agents: Sequence[Agent]) -> dict[int, list[Request]]:
    """By transcript, in order of position: of those who called, and the agents' own."""
    ids = sorted({pk for one in agents for pk in (one.transcript.pk, one.caller.pk)})
    found: dict[int, list[Request]] = {}
    for at in range(0, len(ids), AT_ONCE):
        for one in Request.objects.filter(transcript_id__in=ids[at : at + AT_ONCE]).order_by("position"):
            found.setdefault(one.transcript_id, []).append(one)
    return found


def _calling(agent: Agent, asked: Mapping[int, list[Request]]) -> Request | None:
    """The request whose answer holds the call: the last of the caller's own that began at or before it."""
    call = agent.call
    if call is None:
        return None
    inline = agent.caller.parent_id is None
    before = [one for one in asked.get(agent.caller.pk, ()) if one.position <= call and not (inline and one.agent)]
    return before[-1] if before else None


def _first(agent: Agent, asked: Mapping[int, list[Request]]) -> Request | None:
    mine = asked.get(agent.transcript.pk, ())
    if agent.inside is not None:
        mine = [one for one in mine if one.position in agent.inside.positions]
    own = [one for one in mine if one.owned]  # a fork's file repeats its parent's
    return own[0] if own else None


def _contexts(links: LinkRows, rows: Sequence[LinkRow], positions: Collection[int]) -> Iterator[Context]:
    """The contexts of the requests whose answers begin at these positions, in order; a query for each, if it is not
    small."""
    rows = links.with_records(rows)
    logged = {row.tool: row.position for row in rows if row.type in (MESSAGE, SHAPE)}

    def lookup(hashes: Collection[str]) -> Iterable[Mapping[str, Any]]:
        found = [logged[key] for one in hashes if (key := key_of(one)) in logged]
        links.fetch(found)
        return [links.record(position) for position in found]

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
