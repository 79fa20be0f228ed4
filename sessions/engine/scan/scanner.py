"""Reads a transcript's lines in file order and says, record by record, what lists, links, counts and search need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from sessions.engine.flags import Flag
from sessions.engine.keys import key_of
from sessions.engine.knowledge import unknowns
from sessions.engine.lines import mend, recover
from sessions.engine.linking import LinkRow, needs_record
from sessions.engine.scan.batch import Batch, EntryRow, ProblemRow, RequestRow, TurnRow
from sessions.engine.scan.content import content_of
from sessions.engine.scan.facts import Facts, OpenTurn
from sessions.engine.scan.times import milliseconds
from sessions.engine.usage import Usage

CHAIN = frozenset({"user", "assistant", "system", "attachment", "progress", "saved_hook_context"})
OPEN_CALLS = 256
PROMPT_CHARS = 400

_SHOWN, _TYPED, _SIDECHAIN = int(Flag.SHOWN), int(Flag.TYPED), int(Flag.SIDECHAIN)
_ERROR, _CALL, _RESULT = int(Flag.ERROR), int(Flag.CALL), int(Flag.RESULT)
_BOUNDARY, _SUMMARY, _TEXT = int(Flag.BOUNDARY), int(Flag.SUMMARY), int(Flag.TEXT)
_RECOVERED, _UNKNOWN = int(Flag.RECOVERED), int(Flag.UNKNOWN)
_DUPLICATE, _ROOT = int(Flag.DUPLICATE), int(Flag.ROOT)


class Scanner:
    """Feed it lines; take the batch whenever it is convenient. `facts` carries over to the next import."""

    def __init__(self, facts: Facts | None = None, *, agent: bool = False) -> None:
        self.facts = facts or Facts()
        self.batch = Batch()
        self._agent = agent
        self._keys: dict[str, int] = {}
        self._seen: set[int] = set()
        self._open_calls = dict.fromkeys(self.facts.open_calls)
        self._usages: dict[str, Usage] = {}
        self._states: dict[str, Callable[[dict[str, Any]], None]] = {
            "ai-title": lambda record: self._title(2, record.get("aiTitle")),
            "custom-title": lambda record: self._title(3, record.get("customTitle")),
            "summary": lambda record: self._title(1, record.get("summary")),
            "continued-in": self._continued,
        }

    def take(self) -> Batch:
        """The batch so far, with the turn that is still open; the scanner goes on with an empty one."""
        turn = self.facts.turn
        if self.batch.entries:
            self.batch.turns.append(_turn_row(turn))
        self.facts.open_calls = list(self._open_calls)[-OPEN_CALLS:]
        batch, self.batch = self.batch, Batch()
        return batch

    def feed(self, line: bytes, offset: int) -> None:
        """One line, without its line end."""
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            if not line.strip():
                return
            record = None
        self.facts.lines += 1
        if type(record) is dict:
            self._record(record, offset, len(line), 0)
        else:
            self._broken(line, offset)

    def whole(self, line: bytes) -> bool:
        """Is this line, which has no line end yet, already an object?"""
        try:
            return type(orjson.loads(line)) is dict
        except orjson.JSONDecodeError:
            return False

    def partial(self, line: bytes, offset: int) -> None:
        """A last line that is still being written: reported, and read again when it has grown."""
        self.facts.lines += 1
        self.facts.bad_lines += 1
        self.facts.partial = True
        detail = "The last line has no end yet. It is read again when the file grows."
        self.batch.problems.append(ProblemRow(self.facts.lines, offset, len(line), "partial", detail))

    def resume(self) -> None:
        """Before reading on where the last import stopped."""
        if self.facts.partial:
            self.facts.partial = False
            self.facts.lines -= 1
            self.facts.bad_lines -= 1

    def _broken(self, line: bytes, offset: int) -> None:
        facts = self.facts
        recovery = recover(line)
        facts.bad_lines += 1
        self.batch.problems.append(ProblemRow(facts.lines, offset, len(line), recovery.kind, recovery.detail))
        for found in recovery.found:
            self._record(found.record, offset + found.start, found.length, _RECOVERED)
            facts.recovered += 1

    def _record(self, record: dict[str, Any], offset: int, length: int, flags: int) -> None:
        facts, batch = self.facts, self.batch
        position = facts.entries
        facts.entries += 1
        kind = record.get("type")
        if type(kind) is not str:
            kind = ""
        message = record.get("message")
        if type(message) is dict and "0" in message:
            record, _ = mend(record)
        content = content_of(kind, record)
        flags |= content.flags
        odd = unknowns(record)
        if odd:
            flags |= _UNKNOWN
            for what in odd:
                count = batch.oddities.setdefault(what, [0, position])
                count[0] += 1

        uuid_key = parent_key = None
        at = milliseconds(record.get("timestamp"))
        if kind in CHAIN:
            if record.get("isSidechain") is True and not self._agent:
                flags |= _SIDECHAIN
            uuid_key = self._key(record.get("uuid"))
            parent_key = self._key(record.get("parentUuid"))
            if parent_key is None:
                flags |= _ROOT
            if uuid_key is not None:
                if uuid_key in self._seen:
                    flags |= _DUPLICATE
                self._seen.add(uuid_key)
            self._ambient(record, at)
        else:
            state = self._states.get(kind)
            if state is not None:
                state(record)

        tool_key = self._key(content.tool)
        if flags & (_CALL | _RESULT):
            flags = self._pair(flags, tool_key)
        if content.text:
            flags |= _TEXT
            batch.texts.append((position, content.text))
        turn = self._turn(position, at, flags, content.text)
        message_key = None
        if kind == "assistant":
            message_key = self._request(record, position, turn, at, flags)
        self._count(position, flags)

        batch.entries.append(
            EntryRow(
                position,
                offset,
                length,
                kind[:60],
                content.detail[:200],
                uuid_key,
                parent_key,
                message_key,
                tool_key,
                at,
                turn,
                flags,
            )
        )
        detail = content.detail
        extra = record if needs_record(kind, detail, Flag(flags)) else None
        batch.links.append(
            LinkRow(position, kind, detail, uuid_key, parent_key, message_key, tool_key, Flag(flags), extra)
        )

    def _key(self, text: object) -> int | None:
        if type(text) is not str or not text:
            return None
        key = self._keys.get(text)
        if key is None:
            key = self._keys[text] = key_of(text)
        return key

    def _ambient(self, record: dict[str, Any], at: int | None) -> None:
        facts = self.facts
        if at is not None:
            if facts.first_at is None or at < facts.first_at:
                facts.first_at = at
            if facts.last_at is None or at > facts.last_at:
                facts.last_at = at
        branch = record.get("gitBranch")
        if branch != facts.branch and type(branch) is str and branch:
            facts.note_branch(branch)
        version = record.get("version")
        if type(version) is str:
            facts.version = version[:40]
        if not facts.cwd:
            cwd = record.get("cwd")
            if type(cwd) is str:
                facts.cwd = cwd[:1000]
        if not facts.session_id:
            session = record.get("sessionId")
            if type(session) is str:
                facts.session_id = session[:200]
        if not facts.agent_id and self._agent:
            agent = record.get("agentId")
            if type(agent) is str:
                facts.agent_id = agent[:200]

    def _pair(self, flags: int, tool_key: int | None) -> int:
        """A result lives in its call's card; one whose call is not in this file needs a place of its own."""
        if tool_key is None:
            return flags | _SHOWN
        if flags & _CALL:
            self._open_calls[tool_key] = None
        elif tool_key in self._open_calls:
            del self._open_calls[tool_key]
        else:
            flags |= _SHOWN
        return flags

    def _turn(self, position: int, at: int | None, flags: int, text: str) -> int:
        facts = self.facts
        turn = facts.turn
        starts = flags & _TYPED and not flags & _SIDECHAIN
        if starts:
            if position:
                self.batch.turns.append(_turn_row(turn))
            turn = facts.turn = OpenTurn(turn.number + 1, position, position, at, at)
            if not facts.first_prompt:
                facts.first_prompt = text.strip()[:PROMPT_CHARS]
        turn.last = position
        if at is not None:
            if turn.started is None:
                turn.started = at
            if turn.ended is None or at > turn.ended:
                turn.ended = at
        return turn.number

    def _request(
        self, record: dict[str, Any], position: int, turn: int, at: int | None, flags: int
    ) -> int | None:
        message = record.get("message")
        if type(message) is not dict:
            return None
        message_id = message.get("id")
        message_key = self._key(message_id)
        model = message.get("model")
        if type(model) is not str:
            model = ""
        if message_key is None or model == "<synthetic>":
            return message_key
        usage = Usage.of(message.get("usage"))
        if usage is None:
            return message_key
        earlier = self._usages.get(message_id)
        self._usages[message_id] = usage if earlier is None else earlier.merge(usage)
        known = self.batch.requests.get(message_key)
        if known is not None:
            self.batch.requests[message_key] = known._replace(usage=known.usage.merge(usage))
            return message_key
        request_id = record.get("requestId")
        agent = record.get("agentId") if flags & _SIDECHAIN or self._agent else ""
        self.batch.requests[message_key] = RequestRow(
            message_key,
            position,
            turn,
            message_id[:200],
            request_id[:200] if type(request_id) is str else "",
            agent[:200] if type(agent) is str and agent else ("sidechain" if flags & _SIDECHAIN else ""),
            model[:120],
            at,
            usage,
        )
        self.facts.note_model(model)
        if message_id != self.facts.last_message and earlier is None and not flags & _SIDECHAIN:
            self.facts.ruler.add(position, usage.context)
            self.facts.peak_context = max(self.facts.peak_context, usage.context)
            self.facts.last_message = message_id
        return message_key

    def _count(self, position: int, flags: int) -> None:
        facts = self.facts
        if flags & _CALL:
            facts.calls += 1
            facts.turn.calls += 1
        if flags & _ERROR:
            facts.errors += 1
            facts.turn.errors += 1
            facts.ruler.add_error(position)
        if flags & _TYPED:
            facts.typed += 1
        if flags & _BOUNDARY or (flags & _SUMMARY and facts.ruler.boundaries[-1:] != [position - 1]):
            # Before 2.0.76 a compaction wrote its summary without a boundary.
            facts.compactions += 1
            facts.ruler.boundaries.append(position)

    def _title(self, rank: int, title: object) -> None:
        if type(title) is str:
            self.facts.note_title(rank, title)

    def _continued(self, record: dict[str, Any]) -> None:
        successor = record.get("continuedInSessionId")
        if type(successor) is str:
            self.facts.continued_in = successor[:200]


def _turn_row(turn: OpenTurn) -> TurnRow:
    return TurnRow(turn.number, turn.first, turn.last, turn.started, turn.ended, turn.calls, turn.errors)
