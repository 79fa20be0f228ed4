"""A transcript as a log of records, and the contexts of its requests: the way in for those who have a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import orjson

from sessions.context.engine.chain.out_of_order import AHEAD
from sessions.context.engine.client_versions import Sender
from sessions.context.engine.rendering.inherited import LISTS, Inherited, kind_of
from sessions.context.engine.request import Context
from sessions.context.engine.request_log import MESSAGE, SHAPE
from sessions.context.engine.view import Viewer
from sessions.imports.engine.broken_lines import join_characters, parse_object
from sessions.imports.engine.scan.scanner import Scanner
from sessions.linking.engine import LinkRow, link
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.marks import Mark
from sessions.usage.engine.prices import SYNTHETIC

_ERROR, _SIDECHAIN = int(Flag.ERROR), int(Flag.SIDECHAIN)


class PointMissingError(LookupError):
    """A request or an entry that was asked for is not in the log."""


class Log:
    """The records of one transcript file, decoded when they are asked for."""

    def __init__(self, data: bytes, *, agent: bool = False, main: Log | None = None) -> None:
        """`agent`: the file of a sub-agent; `main`: that of the session it belongs to."""
        self._main = main
        self._view = memoryview(data)
        self._logged: dict[int | None, int] | None = None
        scanner = Scanner(agent=agent)
        end = scanner.feed_all(data, 0)
        if data[end:].strip() and scanner.whole(data[end:]):
            scanner.feed(data[end:], end)
        batch = scanner.take()
        self._places = [(row[1], row[2]) for row in batch.entries]
        self.rows = [
            LinkRow(
                position, row[3], row[4], row[5], row[6], row[7], row[8], row[11], batch.extras.get(position), row[9]
            )
            for position, row in enumerate(batch.entries)
        ]

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
        if self._logged is None:
            self._logged = {row.tool: row.position for row in self.rows if row.type in (MESSAGE, SHAPE)}
        for one in hashes:
            position = self._logged.get(key_of(one))
            if position is not None:
                yield self.record(position)

    def inherited(self) -> Inherited | None:
        """What a sub-agent is told that only the session's own transcript holds."""
        main = self._main
        first = next((row for row in self.rows if row.type == "assistant"), None)
        if main is None or first is None or first.at is None:
            return None
        known = [row for row in main.rows if row.detail in LISTS and row.at is not None and row.at <= first.at]
        return Inherited.of(kind_of(self.record(first.position)), (main.record(row.position) for row in known))

    def viewer(self) -> Viewer:
        return Viewer(self.record, self.lookup, self.after, inherited=self.inherited())

    def after(self, position: int) -> list[LinkRow]:
        return self.rows[position + 1 : position + 1 + AHEAD]

    def marks(self) -> tuple[Mark, ...]:
        """What became of each stretch of the session."""
        return link(self.rows).marks


def requests_of(rows: Iterable[LinkRow]) -> Iterator[LinkRow]:
    """The first row of every answer: a request was made for it, unless the client wrote it itself, which its record
    says. What reports an error answers nothing."""
    seen: set[int] = set()
    for row in rows:
        if row.type != "assistant" or row.message is None or row.message in seen or row.flags & (_ERROR | _SIDECHAIN):
            continue
        seen.add(row.message)
        yield row


def contexts(log: Log) -> Iterator[Context]:
    """The contexts of all requests, in order, in one pass. Each is whole; none but the last is held."""
    viewer = log.viewer()
    starts = {row.position for row in requests_of(log.rows)}
    for row in log.rows:
        if row.position in starts and (made := viewer.at_request(row)).model != SYNTHETIC:
            yield made
        viewer.feed(row)


def context_at(log: Log, point: str | None = None) -> Context:
    """What was sent in the request that this answer (`msg_...`) came from; or what would be sent after the entry with
    this uuid; or, without a point, what is sent next."""
    if point is None:
        return _next(log)
    key = key_of(point)
    first = _first(log, key)
    viewer = log.viewer()
    for row in log.rows:
        if row.position == first:
            return viewer.at_request(row)
        viewer.feed(row)
        if row.uuid == key:
            return viewer.at(key, row.position + 1, sender=_sender(log, row.position))
    raise PointMissingError(f"no request and no entry of this session is called {point}.")


def _first(log: Log, message: int) -> int | None:
    """Where an answer begins; that of a sub-agent, or one that reports an error, only if there is no other."""
    rows = [row for row in log.rows if row.message == message and row.type == "assistant"]
    return next((row.position for row in (*requests_of(rows), *rows)), None)


def _next(log: Log) -> Context:
    viewer = log.viewer()
    for row in log.rows:
        viewer.feed(row)
    leaf = link(log.rows).leaf
    uuid = None if leaf is None else log.rows[leaf].uuid
    return viewer.at(uuid, len(log.rows), sender=_sender(log, len(log.rows) - 1))


def _sender(log: Log, position: int) -> Sender:
    """As for the newest answer: there is nothing else to go by."""
    for at in range(position, -1, -1):
        row = log.rows[at]
        if row.type == "assistant" and not row.flags & (_ERROR | _SIDECHAIN):
            sender = Sender.of(log.record(at))
            if sender.asked:
                return sender
    return Sender()
