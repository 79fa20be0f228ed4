"""A transcript as a log of records, and the contexts of its requests. Start here if you have a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import orjson

from sessions.context.engine.chain.out_of_order import AHEAD
from sessions.context.engine.client_versions import Sender, behaviour_of
from sessions.context.engine.context_builder import ContextBuilder
from sessions.context.engine.rendering.subagent_notes import NOTES, SubagentNotes, agent_type_of, prompt_of_agent
from sessions.context.engine.request import Context
from sessions.context.engine.request_log import MESSAGE, SHAPE
from sessions.imports.engine.broken_lines import join_characters, parse_object
from sessions.imports.engine.scan.scanner import Scanner
from sessions.linking.engine import LinkRow, link, link_row
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.marks import Mark
from sessions.usage.engine.prices import SYNTHETIC

_ERROR, _SIDECHAIN = int(Flag.ERROR), int(Flag.SIDECHAIN)


class PointMissingError(LookupError):
    """The log has no such request or entry."""


class Log:
    """The records of one transcript file, decoded on demand."""

    def __init__(self, data: bytes, *, agent: bool = False, main: Log | None = None) -> None:
        """`agent`: the file of a sub-agent; `main`: that of the session it belongs to."""
        self._main = main
        self._view = memoryview(data)
        self._log_positions: dict[int | None, int] | None = None
        scanner = Scanner(agent=agent)
        end = scanner.feed_all(data, 0)
        if data[end:].strip() and scanner.is_whole(data[end:]):
            scanner.feed(data[end:], end)
        batch = scanner.take()
        self._places = [(entry.offset, entry.length) for entry in batch.entries]
        self.rows = [link_row(entry, batch.extras.get(entry.position)) for entry in batch.entries]

    def record(self, position: int) -> Mapping[str, Any]:
        offset, length = self._places[position]
        data = self._view[offset : offset + length]
        try:
            record = orjson.loads(data)
        except orjson.JSONDecodeError:
            record = parse_object(bytes(data))
        message = record.get("message")
        usual = type(message) is not dict or ("0" not in message and type(message.get("content")) is not dict)
        return record if usual else join_characters(record)[0]

    def lookup(self, hashes: Collection[str]) -> Iterator[Mapping[str, Any]]:
        """Records of the client's log of requests, by hash."""
        if self._log_positions is None:
            self._log_positions = {row.tool: row.position for row in self.rows if row.type in (MESSAGE, SHAPE)}
        for digest in hashes:
            position = self._log_positions.get(key_of(digest))
            if position is not None:
                yield self.record(position)

    def subagent_notes(self) -> SubagentNotes | None:
        """What a sub-agent is sent that only the transcript of its session holds."""
        main = self._main
        first = next((row for row in self.rows if row.type == "assistant"), None)
        if main is None or first is None or first.at is None:
            return None
        record = self.record(first.position)
        if not behaviour_of(text(record.get("version"))).records_subagent_prompt:
            tools = {row.tool for row in main.rows if row.type == "assistant" and row.detail == "Task"}
            ended = [row for row in main.rows if row.type == "user" and row.tool in tools]
            results = (main.record(row.position) for row in ended)
            all_ended = {row.tool for row in ended} == tools
            return SubagentNotes("", {}, prompt_of_agent(text(record.get("agentId")), results, all_ended=all_ended))
        rows = [row for row in main.rows if row.detail in NOTES and row.at is not None and row.at <= first.at]
        return SubagentNotes.of(agent_type_of(record), (main.record(row.position) for row in rows))

    def context_builder(self) -> ContextBuilder:
        return ContextBuilder(self.record, self.lookup, self.following, inherited=self.subagent_notes())

    def following(self, position: int) -> list[LinkRow]:
        return self.rows[position + 1 : position + 1 + AHEAD]

    def marks(self) -> tuple[Mark, ...]:
        """What became of each stretch of the session."""
        return link(self.rows).marks


def requests_of(rows: Iterable[LinkRow]) -> Iterator[LinkRow]:
    """The first row of every answer. A request was made for it, unless the client wrote the answer itself, as its
    record says. Reports of API errors answer nothing."""
    messages: set[int] = set()
    for row in rows:
        if (
            row.type != "assistant"
            or row.message is None
            or row.message in messages
            or row.flags & (_ERROR | _SIDECHAIN)
        ):
            continue
        messages.add(row.message)
        yield row


def contexts(log: Log) -> Iterator[Context]:
    """The contexts of all requests, in order, in one pass. Each is complete; only the latest is held in memory."""
    builder = log.context_builder()
    starts = {row.position for row in requests_of(log.rows)}
    for row in log.rows:
        if row.position in starts and (context := builder.build_for_answer(row)).model != SYNTHETIC:
            yield context
        builder.feed(row)


def context_at(log: Log, point: str | None = None) -> Context:
    """What was sent in the request of an answer (`msg_...`); what would be sent after the entry with a uuid; or,
    without a point, what is sent next."""
    if point is None:
        return _next_context(log)
    key = key_of(point)
    first = _find_answer(log, key)
    builder = log.context_builder()
    for row in log.rows:
        if row.position == first:
            return builder.build_for_answer(row)
        builder.feed(row)
        if row.uuid == key:
            return builder.build_at(key, row.position + 1, sender=_sender_before(log, row.position))
    raise PointMissingError(f"no request and no entry of this session is called {point}.")


def _find_answer(log: Log, message: int) -> int | None:
    """Where an answer begins. Answers of sub-agents and reports of errors count only if there is no other."""
    rows = [row for row in log.rows if row.message == message and row.type == "assistant"]
    return next((row.position for row in (*requests_of(rows), *rows)), None)


def _next_context(log: Log) -> Context:
    builder = log.context_builder()
    for row in log.rows:
        builder.feed(row)
    leaf = link(log.rows).leaf
    uuid = None if leaf is None else log.rows[leaf].uuid
    return builder.build_at(uuid, len(log.rows), sender=_sender_before(log, len(log.rows) - 1))


def _sender_before(log: Log, position: int) -> Sender:
    """The sender of the newest answer, as the best guess for the next request."""
    for index in range(position, -1, -1):
        row = log.rows[index]
        if row.type == "assistant" and not row.flags & (_ERROR | _SIDECHAIN):
            sender = Sender.of(log.record(index))
            if sender.asks_model:
                return sender
    return Sender()
