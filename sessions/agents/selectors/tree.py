"""The sub-agents of a session as a tree, each with what it spent, how it ended, and the records that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions.agents.engine import (
    Ending,
    Outcome,
    Spot,
    judge,
)
from sessions.agents.engine.mail import STARTS
from sessions.agents.engine.notices import notices, said_to
from sessions.agents.engine.outcome import ending_of_notice, ending_of_result, went_on
from sessions.agents.selectors.inline import Inside, inside
from sessions.linking.engine import (
    AgentFacts,
    AgentTree,
    Evidence,
    Sighting,
    build_agent_tree,
    find_sightings,
)
from sessions.linking.engine.raw_fields import blocks, mapping, text
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.transcripts.engine.rows import EntryRow
from sessions.transcripts.selectors.family import Family
from sessions.transcripts.selectors.live import is_live

DEEPEST = 8
"""Agents further down are shown at this depth."""
LINE = 200
_GIVEN = ("description", "subagent_type", "name", "prompt")
_ENDS = 4
"""So many records from the end are looked through for the last one of the conversation."""


@dataclass(frozen=True, slots=True)
class Spend:
    requests: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cost: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.cache_read + self.cache_write + self.output

    def plus(self, other: Spend) -> Spend:
        return Spend(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @classmethod
    def of(cls, one: Transcript) -> Spend:
        written = one.cache_write_5m + one.cache_write_1h
        return cls(one.requests, one.input, one.cache_read, written, one.output, one.cost, one.unpriced)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that started an agent."""

    tool: str
    spot: Spot
    given: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Orphan:
    """An agent that a call started, and of which no record of its own is here."""

    name: str
    type: str
    caller: Transcript
    call: int
    result: int | None
    outcome: Outcome


@dataclass(slots=True)
class Agent:
    """One agent in the tree, with its depth below the session."""

    key: str
    """Its id; of one inside the session's file `L` and the position of its first record."""
    transcript: Transcript
    """Where its records stand."""
    depth: int
    caller: Transcript
    call: int | None
    """Position of the call in the caller's transcript."""
    how: Evidence
    outcome: Outcome
    spend: Spend
    type: str = ""
    description: str = ""
    result: int | None = None
    """Position of what came back, in the caller's transcript."""
    inside: Inside | None = None
    """What is known of one inside the session's file."""
    children: list[Agent] = field(default_factory=list)

    @property
    def name(self) -> str:
        own = "" if self.inside else self.transcript.title
        return mask((self.description or own)[:LINE]) or self.key

    @property
    def models(self) -> list[str]:
        return list(self.inside.models) if self.inside else self.transcript.model_names.split()

    @property
    def entries(self) -> int:
        return self.inside.size if self.inside else self.transcript.entries

    @property
    def errors(self) -> int:
        return self.inside.errors if self.inside else self.transcript.errors

    @property
    def compactions(self) -> int:
        return 0 if self.inside else self.transcript.compactions

    @property
    def peak(self) -> int:
        return self.inside.peak if self.inside else self.transcript.peak_context

    @property
    def first_at(self) -> int | None:
        return self.inside.first_at if self.inside else self.transcript.first_at

    @property
    def last_at(self) -> int | None:
        return self.inside.last_at if self.inside else self.transcript.last_at

    @property
    def duration(self) -> int | None:
        first, last = self.first_at, self.last_at
        return last - first if first is not None and last is not None else None

    @property
    def start(self) -> int:
        """Position of its first record."""
        return self.inside.first if self.inside else 0

    @property
    def end(self) -> int:
        """Position of its last record."""
        return self.inside.last if self.inside else max(0, self.transcript.entries - 1)

    def latest(self, count: int) -> Sequence[int]:
        """Positions of its last records."""
        if self.inside is not None:
            return sorted(self.inside.positions)[-count:]
        return range(max(0, self.transcript.entries - count), self.transcript.entries)


def agents_of(session: Transcript, now: int = 0) -> list[Agent]:
    """All of them, parents before children. The number of queries does not depend on how many there are, except for
    every 500 calls and every 32 MB of records."""
    return Kin(session).agents(now)


class Kin:
    """What the records of a family say about who started whom and how it ended."""

    def __init__(self, session: Transcript) -> None:
        self.family = Family(session)
        self.inside = inside(self.family)
        self.calls: dict[str, Call] = {}
        self.endings: dict[str, list[Ending]] = {}
        """By agent, and by the id of its call."""
        self.seen: list[Sighting] = []
        self._read()
        self.tree = self._tree()

    @property
    def started(self) -> dict[str, str]:
        """tool_use id of a call -> the agent that it started."""
        places = {(call.spot.owner, call.spot.position): tool for tool, call in self.calls.items()}
        named = {self._tool(name): name for name in self.tree.nodes}
        named |= {places.get(("", one.call if one.call is not None else -1), ""): one.key for one in self.inside}
        return {tool: name for tool, name in named.items() if tool}

    def _read(self) -> None:
        marks = ",".join(["%s"] * len(STARTS))
        calls = self.family.find(f"e.type = 'assistant' AND e.detail IN ({marks})", STARTS)
        told = self.family.find(
            "e.type = 'queue-operation' OR (e.type = 'attachment' AND e.detail = 'queued_command')", ()
        )
        results = self.family.find_results(calls)
        for row, record in self.family.read_records(calls):
            self._call(row, record)
        for row, record in self.family.read_records([*results, *told]):
            self._tell(row, record)

    def _call(self, row: EntryRow, record: Mapping[str, Any]) -> None:
        spot = self._spot(row)
        for block in blocks(record):
            if block.get("type") == "tool_use" and (tool := text(block.get("id"))):
                given = mapping(block.get("input"))
                kept = {name: text(given.get(name))[:LINE] for name in _GIVEN}
                self.calls.setdefault(tool, Call(tool, spot, kept))

    def _tell(self, row: EntryRow, record: Mapping[str, Any]) -> None:
        spot = self._spot(row)
        self.seen += find_sightings(record, spot.owner)
        for notice in notices(said_to(record)):
            if (ending := ending_of_notice(notice, spot)) is not None:
                for name in {notice.task, notice.tool_use_id} - {""}:
                    self.endings.setdefault(name, []).append(ending)
        for block in blocks(record):
            tool = text(block.get("tool_use_id"))
            call = self.calls.get(tool)
            if call is None or block.get("type") != "tool_result":
                continue
            if (ending := ending_of_result(record, tool, spot)) is not None:
                self.endings.setdefault(tool, []).append(ending)

    def _spot(self, row: EntryRow) -> Spot:
        return Spot(self.family.agent_of(row), row.position, row.at)

    def _tree(self) -> AgentTree:
        facts = [AgentFacts.from_meta(key, one.meta) for key, one in self.family.by_agent.items()]
        places = {tool: (call.spot.owner, call.spot.position) for tool, call in self.calls.items()}
        tree = build_agent_tree(facts, places, self.seen)
        if any(node.how is Evidence.UNKNOWN for node in tree.nodes.values()):
            rows = self.family.find("e.type = 'progress' AND e.detail = 'agent_progress'", ())
            for row, record in self.family.read_records(_first_progress(rows)):
                self.seen += find_sightings(record, self.family.agent_of(row))
            tree = build_agent_tree(facts, places, self.seen)
        return tree

    def _tool(self, name: str) -> str:
        """The id of the call that started an agent."""
        node = self.tree.nodes[name]
        if node.call is None:
            return ""
        meta = text(self.family.by_agent[name].meta.get("toolUseId"))
        if meta in self.calls:
            return meta
        mine = {one.tool_use_id for one in self.seen if one.agent == name}
        place = (node.parent, node.call)
        here = [tool for tool, call in self.calls.items() if (call.spot.owner, call.spot.position) == place]
        return next((tool for tool in here if tool in mine), here[0] if here else "")

    def orphans(self) -> list[Orphan]:
        """What was started and has no transcript here: its file is gone, or lies with another session."""
        started = self.started
        return [
            Orphan(
                mask(_said(call)) or "unnamed",
                mask(call.given["subagent_type"]),
                self.family.by_agent.get(call.spot.owner, self.family.session),
                call.spot.position,
                _result(self.endings.get(tool, ()), call),
                judge(self.endings.get(tool, ())),
            )
            for tool, call in self.calls.items()
            if tool not in started
        ]

    def agents(self, now: int = 0) -> list[Agent]:
        family = self.family
        started = {name: tool for tool, name in self.started.items()}
        endings = {name: self._endings(name, started.get(name, "")) for name in self.tree.nodes}
        live = {key for key, one in family.by_agent.items() if is_live(one, now)}
        open_ended = [one for key, one in family.by_agent.items() if went_on(endings[key], one.last_at)]
        lasts = self._lasts([one for one in open_ended if not endings[family.keys[one.pk]] or is_live(one, now)])
        found: list[Agent] = []
        made: dict[str, Agent] = {}
        for depth, node in self.tree.walk():
            one = family.by_agent[node.id]
            call = self.calls.get(started.get(node.id, ""))
            last, spot = lasts.get(node.id, (None, None))
            outcome = judge(
                endings[node.id], last_at=one.last_at, live=node.id in live, meta=one.meta, last=last, last_spot=spot
            )
            agent = Agent(
                node.id,
                one,
                depth,
                family.by_agent.get(node.parent, family.session),
                node.call,
                node.how,
                outcome,
                Spend.of(one),
                text(one.meta.get("agentType")) or (call.given["subagent_type"] if call else ""),
                text(one.meta.get("description")) or (_said(call) if call else ""),
                _result(endings[node.id], call),
            )
            made[node.id] = agent
            found.append(agent)
            if node.parent in made and depth <= DEEPEST:
                made[node.parent].children.append(agent)
        return sorted([*found, *self._inline(started)], key=_root(found)) if self.inside else found

    def _inline(self, started: Mapping[str, str]) -> Iterator[Agent]:
        session = self.family.session
        for one in self.inside:
            call = self.calls.get(started.get(one.key, ""))
            endings = self.endings.get(call.tool, []) if call else []
            outcome = judge(endings, last=one.last_record, last_spot=one.last_spot)
            yield Agent(
                one.key,
                session,
                1,
                session,
                one.call,
                Evidence.TEXT if one.call is not None else Evidence.UNKNOWN,
                outcome,
                Spend(*one.spend),
                call.given["subagent_type"] if call else "",
                _said(call) if call else "",
                _result(endings, call),
                one,
            )

    def _endings(self, name: str, tool: str) -> list[Ending]:
        by_call = self.endings.get(tool, []) if tool else []
        return list(dict.fromkeys([*self.endings.get(name, []), *by_call]))

    def _lasts(self, transcripts: Sequence[Transcript]) -> dict[str, tuple[Mapping[str, Any], Spot]]:
        """The last record of the conversation of agents that nobody says the end of."""
        found: dict[str, tuple[Mapping[str, Any], Spot]] = {}
        for row, record in self.family.read_records(self.family.last_rows(transcripts, _ENDS)):
            if record.get("type") in ("assistant", "user"):
                found[self.family.agent_of(row)] = (record, self._spot(row))
        return found


def _said(call: Call) -> str:
    return call.given["description"] or call.given["name"] or call.given["prompt"]


def _result(endings: Sequence[Ending], call: Call | None) -> int | None:
    """What came back last to the one who had called: the call's result, or a notice."""
    back = [one.spot for one in endings if call is not None and one.spot.owner == call.spot.owner]
    return max(back, key=lambda spot: spot.position).position if back else None


def _root(found: Sequence[Agent]) -> Callable[[Agent], tuple[float, int]]:
    """Agents inside the file stand among the others in the order of the calls; children stay below their parents."""
    order: dict[str, tuple[float, int]] = {}
    place: float = -1.0
    for at, agent in enumerate(found):
        if agent.depth == 1:
            place = agent.call if agent.call is not None else float("inf")
        order[agent.key] = (place, at)
    late = len(found)

    def place_of(one: Agent) -> tuple[float, int]:
        return order.get(one.key, (one.call if one.call is not None else one.start, late + one.start))

    return place_of


def _first_progress(rows: Sequence[EntryRow]) -> Iterator[EntryRow]:
    """An agent reports its progress hundreds of times: one per call is enough."""
    last = None
    for row in rows:
        if row.parent_key != last:
            yield row
        last = row.uuid_key
