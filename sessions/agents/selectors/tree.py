"""The sub-agents of a session as a tree, each with its spend, its outcome, and the records that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions.agents.engine import Ending, Outcome, RecordPosition, judge_outcome
from sessions.agents.engine.mail import START_TOOLS
from sessions.agents.engine.notices import incoming_text, parse_notices
from sessions.agents.engine.outcome import ending_of_notice, ending_of_result, has_continued
from sessions.agents.selectors.inline import InlineAgent, load_inline_agents
from sessions.linking.engine import AgentFacts, AgentTree, Evidence, Sighting, build_agent_tree, find_sightings
from sessions.linking.engine.raw_fields import blocks, mapping, text
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.transcripts.engine.rows import EntryRow
from sessions.transcripts.selectors.family import Family
from sessions.transcripts.selectors.live import is_live

MAX_DEPTH = 8
"""Agents below this depth are shown at it."""
LINE = 200
_INPUT_KEYS = ("description", "subagent_type", "name", "prompt")
_LAST_RECORDS = 4
"""How many records at the end are searched for the last one of the conversation."""


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

    def add(self, other: Spend) -> Spend:
        return Spend(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @classmethod
    def of(cls, transcript: Transcript) -> Spend:
        written = transcript.cache_write_5m + transcript.cache_write_1h
        return cls(
            transcript.requests,
            transcript.input,
            transcript.cache_read,
            written,
            transcript.output,
            transcript.cost,
            transcript.unpriced,
        )


@dataclass(frozen=True, slots=True)
class AgentCall:
    """A call that started an agent."""

    tool: str
    spot: RecordPosition
    inputs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Orphan:
    """An agent that a call started, but without records of its own."""

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
    """Its id, or for an inline agent `L` and the position of its first record."""
    transcript: Transcript
    """The transcript with its records."""
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
    """Position of its result in the caller's transcript."""
    inline: InlineAgent | None = None
    """Set if its records are in the session's own file."""
    children: list[Agent] = field(default_factory=list)

    @property
    def name(self) -> str:
        own = "" if self.inline else self.transcript.title
        return mask((self.description or own)[:LINE]) or self.key

    @property
    def models(self) -> list[str]:
        return list(self.inline.models) if self.inline else self.transcript.model_names.split()

    @property
    def entries(self) -> int:
        return self.inline.size if self.inline else self.transcript.entries

    @property
    def errors(self) -> int:
        return self.inline.errors if self.inline else self.transcript.errors

    @property
    def compactions(self) -> int:
        return 0 if self.inline else self.transcript.compactions

    @property
    def peak(self) -> int:
        return self.inline.peak if self.inline else self.transcript.peak_context

    @property
    def first_at(self) -> int | None:
        return self.inline.first_at if self.inline else self.transcript.first_at

    @property
    def last_at(self) -> int | None:
        return self.inline.last_at if self.inline else self.transcript.last_at

    @property
    def duration(self) -> int | None:
        first, last = self.first_at, self.last_at
        return last - first if first is not None and last is not None else None

    @property
    def start(self) -> int:
        """Position of its first record."""
        return self.inline.first if self.inline else 0

    @property
    def end(self) -> int:
        """Position of its last record."""
        return self.inline.last if self.inline else max(0, self.transcript.entries - 1)

    def latest(self, count: int) -> Sequence[int]:
        """Positions of its last records."""
        if self.inline is not None:
            return sorted(self.inline.positions)[-count:]
        return range(max(0, self.transcript.entries - count), self.transcript.entries)


def load_agents(session: Transcript, now: int = 0) -> list[Agent]:
    """Parents before children. The number of queries is constant, but for each 500 calls and each 32 MB of records."""
    return AgentHistory(session).agents(now)


class AgentHistory:
    """What the records of a session and its agents say: who started whom, and how each agent ended."""

    def __init__(self, session: Transcript) -> None:
        self.family = Family(session)
        self.inline_agents = load_inline_agents(self.family)
        self.calls: dict[str, AgentCall] = {}
        self.endings: dict[str, list[Ending]] = {}
        """By agent id, and by the id of its call."""
        self.seen: list[Sighting] = []
        self._read()
        self.tree = self._tree()

    @property
    def started(self) -> dict[str, str]:
        """tool_use id of a call -> the agent that it started."""
        tool_by_position = {(call.spot.owner, call.spot.position): tool for tool, call in self.calls.items()}
        agent_by_tool = {self._call_id(name): name for name in self.tree.nodes}
        agent_by_tool |= {
            tool_by_position.get(("", agent.call if agent.call is not None else -1), ""): agent.key
            for agent in self.inline_agents
        }
        return {tool: name for tool, name in agent_by_tool.items() if tool}

    def _read(self) -> None:
        marks = ",".join(["%s"] * len(START_TOOLS))
        calls = self.family.find(f"e.type = 'assistant' AND e.detail IN ({marks})", START_TOOLS)
        notices_and_prompts = self.family.find(
            "e.type = 'queue-operation' OR (e.type = 'attachment' AND e.detail = 'queued_command')", ()
        )
        results = self.family.find_results(calls)
        for row, record in self.family.read_records(calls):
            self._call(row, record)
        for row, record in self.family.read_records([*results, *notices_and_prompts]):
            self._read_ending(row, record)

    def _call(self, row: EntryRow, record: Mapping[str, Any]) -> None:
        spot = self._spot(row)
        for block in blocks(record):
            if block.get("type") == "tool_use" and (tool := text(block.get("id"))):
                arguments = mapping(block.get("input"))
                inputs = {name: text(arguments.get(name))[:LINE] for name in _INPUT_KEYS}
                self.calls.setdefault(tool, AgentCall(tool, spot, inputs))

    def _read_ending(self, row: EntryRow, record: Mapping[str, Any]) -> None:
        spot = self._spot(row)
        self.seen += find_sightings(record, spot.owner)
        for notice in parse_notices(incoming_text(record)):
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

    def _spot(self, row: EntryRow) -> RecordPosition:
        return RecordPosition(self.family.agent_of(row), row.position, row.at)

    def _tree(self) -> AgentTree:
        facts = [AgentFacts.from_meta(key, transcript.meta) for key, transcript in self.family.by_agent.items()]
        places = {tool: (call.spot.owner, call.spot.position) for tool, call in self.calls.items()}
        tree = build_agent_tree(facts, places, self.seen)
        if any(node.how is Evidence.UNKNOWN for node in tree.nodes.values()):
            rows = self.family.find("e.type = 'progress' AND e.detail = 'agent_progress'", ())
            for row, record in self.family.read_records(_first_progress(rows)):
                self.seen += find_sightings(record, self.family.agent_of(row))
            tree = build_agent_tree(facts, places, self.seen)
        return tree

    def _call_id(self, name: str) -> str:
        """The id of the call that started an agent."""
        node = self.tree.nodes[name]
        if node.call is None:
            return ""
        meta = text(self.family.by_agent[name].meta.get("toolUseId"))
        if meta in self.calls:
            return meta
        reported = {sighting.tool_use_id for sighting in self.seen if sighting.agent == name}
        place = (node.parent, node.call)
        tools = [tool for tool, call in self.calls.items() if (call.spot.owner, call.spot.position) == place]
        return next((tool for tool in tools if tool in reported), tools[0] if tools else "")

    def orphans(self) -> list[Orphan]:
        """Agents that were started but have no transcript: the file is missing, or belongs to another session."""
        started = self.started
        return [
            Orphan(
                mask(_call_label(call)) or "unnamed",
                mask(call.inputs["subagent_type"]),
                self.family.by_agent.get(call.spot.owner, self.family.session),
                call.spot.position,
                _result_position(self.endings.get(tool, ()), call),
                judge_outcome(self.endings.get(tool, ())),
            )
            for tool, call in self.calls.items()
            if tool not in started
        ]

    def agents(self, now: int = 0) -> list[Agent]:
        family = self.family
        started = {name: tool for tool, name in self.started.items()}
        endings = {name: self._endings(name, started.get(name, "")) for name in self.tree.nodes}
        live = {key for key, transcript in family.by_agent.items() if is_live(transcript, now)}
        open_ended = [
            transcript for key, transcript in family.by_agent.items() if has_continued(endings[key], transcript.last_at)
        ]
        lasts = self._last_records(
            [
                transcript
                for transcript in open_ended
                if not endings[family.keys[transcript.pk]] or is_live(transcript, now)
            ]
        )
        agents: list[Agent] = []
        agents_by_id: dict[str, Agent] = {}
        for depth, node in self.tree.walk():
            transcript = family.by_agent[node.id]
            call = self.calls.get(started.get(node.id, ""))
            last, spot = lasts.get(node.id, (None, None))
            outcome = judge_outcome(
                endings[node.id],
                last_at=transcript.last_at,
                live=node.id in live,
                meta=transcript.meta,
                last=last,
                last_spot=spot,
            )
            agent = Agent(
                node.id,
                transcript,
                depth,
                family.by_agent.get(node.parent, family.session),
                node.call,
                node.how,
                outcome,
                Spend.of(transcript),
                text(transcript.meta.get("agentType")) or (call.inputs["subagent_type"] if call else ""),
                text(transcript.meta.get("description")) or (_call_label(call) if call else ""),
                _result_position(endings[node.id], call),
            )
            agents_by_id[node.id] = agent
            agents.append(agent)
            if node.parent in agents_by_id and depth <= MAX_DEPTH:
                agents_by_id[node.parent].children.append(agent)
        return (
            sorted([*agents, *self._inline_agents(started)], key=_order_key(agents)) if self.inline_agents else agents
        )

    def _inline_agents(self, started: Mapping[str, str]) -> Iterator[Agent]:
        session = self.family.session
        for inline in self.inline_agents:
            call = self.calls.get(started.get(inline.key, ""))
            endings = self.endings.get(call.tool, []) if call else []
            outcome = judge_outcome(endings, last=inline.last_record, last_spot=inline.last_spot)
            yield Agent(
                inline.key,
                session,
                1,
                session,
                inline.call,
                Evidence.TEXT if inline.call is not None else Evidence.UNKNOWN,
                outcome,
                Spend(*inline.spend),
                call.inputs["subagent_type"] if call else "",
                _call_label(call) if call else "",
                _result_position(endings, call),
                inline,
            )

    def _endings(self, name: str, tool: str) -> list[Ending]:
        by_call = self.endings.get(tool, []) if tool else []
        return list(dict.fromkeys([*self.endings.get(name, []), *by_call]))

    def _last_records(self, transcripts: Sequence[Transcript]) -> dict[str, tuple[Mapping[str, Any], RecordPosition]]:
        """The last record of the conversation of each of these agents."""
        lasts: dict[str, tuple[Mapping[str, Any], RecordPosition]] = {}
        for row, record in self.family.read_records(self.family.last_rows(transcripts, _LAST_RECORDS)):
            if record.get("type") in ("assistant", "user"):
                lasts[self.family.agent_of(row)] = (record, self._spot(row))
        return lasts


def _call_label(call: AgentCall) -> str:
    return call.inputs["description"] or call.inputs["name"] or call.inputs["prompt"]


def _result_position(endings: Sequence[Ending], call: AgentCall | None) -> int | None:
    """Position of the last result or notice that the caller got."""
    positions = [ending.spot for ending in endings if call is not None and ending.spot.owner == call.spot.owner]
    return max(positions, key=lambda spot: spot.position).position if positions else None


def _order_key(agents: Sequence[Agent]) -> Callable[[Agent], tuple[float, int]]:
    """Sorts inline agents among the others by their calls; children stay below their parents."""
    order: dict[str, tuple[float, int]] = {}
    place: float = -1.0
    for index, agent in enumerate(agents):
        if agent.depth == 1:
            place = agent.call if agent.call is not None else float("inf")
        order[agent.key] = (place, index)
    count = len(agents)

    def place_of(agent: Agent) -> tuple[float, int]:
        return order.get(agent.key, (agent.call if agent.call is not None else agent.start, count + agent.start))

    return place_of


def _first_progress(rows: Sequence[EntryRow]) -> Iterator[EntryRow]:
    """The first of consecutive progress records: agents write hundreds."""
    last = None
    for row in rows:
        if row.parent_key != last:
            yield row
        last = row.uuid_key
