"""Reads a transcript's lines in file order, and collects from each record what lists, links, counts and search need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from sessions.imports.engine.broken_lines import join_characters, recover
from sessions.imports.engine.known_names import find_unknowns
from sessions.imports.engine.known_names.records import CHAIN_TYPES
from sessions.imports.engine.scan.batch import Batch
from sessions.imports.engine.scan.facts import Facts, OpenTurn
from sessions.imports.engine.scan.record_summary import Envelope, RecordSummary, summarise
from sessions.imports.engine.scan.requests import Requests
from sessions.imports.engine.scan.shapes import is_plain, is_sound, summarise_quickly
from sessions.linking.engine import needs_record
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from sessions.transcripts.engine.rows import EntryRow

OPEN_CALLS = 256
PROMPT_CHARS = 400

_SHOWN, _TYPED, _SIDECHAIN = int(Flag.SHOWN), int(Flag.TYPED), int(Flag.SIDECHAIN)
_ERROR, _CALL, _RESULT = int(Flag.ERROR), int(Flag.CALL), int(Flag.RESULT)
_BOUNDARY, _SUMMARY, _TEXT = int(Flag.BOUNDARY), int(Flag.SUMMARY), int(Flag.TEXT)
_RECOVERED, _UNKNOWN = int(Flag.RECOVERED), int(Flag.UNKNOWN)
_DUPLICATE, _ROOT = int(Flag.DUPLICATE), int(Flag.ROOT)
_PAIRED = _CALL | _RESULT
_LOOKED_UP = frozenset({"api-request-blob", "api-request-shape"})
_COUNTED = _CALL | _ERROR | _TYPED | _BOUNDARY | _SUMMARY
_STATES = {
    "summary": ("summary", 1),
    "ai-title": ("aiTitle", 2),
    "custom-title": ("customTitle", 3),
    "continued-in": ("continuedInSessionId", 0),
}
"""State records that facts come from: their key, and the rank of a title. Of titles the higher rank stays."""


class Scanner:
    """Feed it lines, and take the batch at any time. `facts` carries over to the next import.

    `base` is added to positions and turn numbers to make the ids of their rows; `earlier_keys` are the keys of the
    uuids earlier in the file."""

    def __init__(
        self, facts: Facts | None = None, *, base: int = 0, agent: bool = False, earlier_keys: Iterable[int] = ()
    ) -> None:
        self.facts = facts or Facts()
        self.batch = Batch()
        self._base = base
        self._agent = agent
        self._key_cache: dict[str, int] = {}
        self._seen_keys = set(earlier_keys)
        self._identified = False
        """Whether everything is known that `note_identity` looks for."""
        self._open_calls = dict.fromkeys(self.facts.open_calls)
        self._requests = Requests()

    def take(self) -> Batch:
        """The batch so far, with the turn that is still open; the scanner goes on with an empty one."""
        if self.batch.entries:
            self._close_turn(self.facts.entries)
            self._note_times()
        self.batch.requests = self._requests.take(self.facts)
        self.facts.open_calls = list(self._open_calls)[-OPEN_CALLS:]
        batch, self.batch = self.batch, Batch()
        return batch

    def feed_all(self, text: bytes, offset: int) -> int:
        """All whole lines of `text`, which starts at `offset`. Returns where the last of them ends."""
        find_byte, view, feed = text.find, memoryview(text), self._feed_quickly
        all_sound = is_plain(text)
        line_start = 0
        while (end := find_byte(b"\n", line_start)) >= 0:
            line = view[line_start:end]
            if not (all_sound or is_sound(bytes(line))) or not feed(line, offset + line_start):
                self.feed(bytes(line), offset + line_start)
            line_start = end + 1
        return line_start

    def feed(self, line: bytes, offset: int) -> None:
        """One line of any kind, without its line end."""
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            if not line.strip():
                self.facts.blank += 1
                return
            record = None
        self.facts.lines += 1
        if type(record) is dict:
            self._add_record(record, offset, len(line), 0)
        else:
            self._feed_broken(line, offset)

    def _feed_quickly(self, line: memoryview, offset: int) -> bool:
        summary = summarise_quickly(line)
        if summary is None:
            return False
        self.facts.lines += 1
        self._add(summary, line, offset, len(line), 0)
        return True

    def is_whole(self, line: bytes) -> bool:
        """Whether this line, which has no line end yet, is already an object."""
        try:
            return type(orjson.loads(line)) is dict
        except orjson.JSONDecodeError:
            return False

    def report_partial(self, line: bytes, offset: int) -> None:
        """Reports a last line that is still being written. It is read again when it has grown."""
        self.facts.lines += 1
        self.facts.partial = True
        detail = "The last line has no end yet. It is read again when the file grows."
        self._report(offset, len(line), "partial", detail)

    def report_too_long(self, offset: int, length: int) -> None:
        self.facts.lines += 1
        self._report(offset, length, "too-long", "The line is too long to be a record. Its bytes are kept.")

    def resume(self) -> bool:
        """Call this before continuing where the last import stopped. True if the last line was cut off and is read
        again."""
        if not self.facts.partial:
            return False
        self.facts.partial = False
        self.facts.lines -= 1
        self.facts.bad_lines -= 1
        return True

    def _feed_broken(self, line: bytes, offset: int) -> None:
        recovery = recover(line)
        self._report(offset, len(line), recovery.kind, recovery.detail)
        for recovered in recovery.records:
            self._add_record(recovered.record, offset + recovered.start, recovered.length, _RECOVERED)
            self.facts.recovered += 1

    def _report(self, offset: int, length: int, kind: str, detail: str) -> None:
        """Notes a problem with the line that was just counted."""
        facts = self.facts
        facts.bad_lines += 1
        self.batch.problems.append((facts.lines + facts.blank, offset, length, kind, detail))

    def _add_record(self, record: dict[str, Any], offset: int, length: int, flags: int) -> None:
        """A record that was decoded whole."""
        message = record.get("message")
        if type(message) is dict and ("0" in message or type(message.get("content")) is dict):
            record, joined = join_characters(record)
            if joined and not flags & _RECOVERED:
                flags |= _RECOVERED
                self.facts.recovered += 1
                self._report(offset, length, "numbered", joined)
        unknowns = find_unknowns(record)
        if unknowns:
            flags |= _UNKNOWN
            for unknown in unknowns:
                self.batch.oddities.setdefault(unknown, [0, self.facts.entries])[0] += 1
        summary = summarise(record)
        if summary.kind in _STATES:
            self._note_state(summary.kind, record)
        self._add(summary, record, offset, length, flags)

    def _add(
        self, summary: RecordSummary, source: dict[str, Any] | memoryview, offset: int, length: int, flags: int
    ) -> None:
        """Runs a hundred thousand times in a second or two, so it skips calls that most records do not need."""
        facts, batch = self.facts, self.batch
        kind, envelope, timestamp, answer = summary.kind, summary.envelope, summary.at, summary.answer
        content_flags, detail, tool, text = summary.content
        position = facts.entries
        facts.entries = position + 1
        flags |= content_flags
        uuid_key = parent_key = tool_key = message_key = None
        if kind in CHAIN_TYPES:
            if envelope.parent:
                parent_key = self._key_cache.get(envelope.parent) or self._key(envelope.parent)
            else:
                flags |= _ROOT
            if envelope.uuid:
                uuid_key = self._key(envelope.uuid)
                if uuid_key in self._seen_keys:
                    flags |= _DUPLICATE
                else:
                    self._seen_keys.add(uuid_key)
            if envelope.sidechain and not self._agent:
                flags |= _SIDECHAIN
            if envelope.branch != facts.branch or envelope.version != facts.version or not self._identified:
                self._note_environment(envelope)
        if flags & _PAIRED:
            tool_key = self._key(tool) if tool and type(tool) is str else None
            flags = self._pair(flags, tool_key)
        elif tool and kind in _LOOKED_UP:
            tool_key = self._key(tool)
        row_id = self._base | position
        if text:
            flags |= _TEXT
            batch.texts.append((row_id, text))
        turn = facts.turn
        if flags & _TYPED and not flags & _DUPLICATE:
            if not flags & _SIDECHAIN:
                turn = self._open_turn(position, text)
            if self._agent or flags & _SIDECHAIN:
                flags ^= _TYPED  # what a sub-agent is asked was written by another agent
        if answer is not None:
            message_key = self._key(answer.message_id)
            agent = self._agent_of(envelope) if self._agent or flags & _SIDECHAIN else ""
            self._requests.add(answer, message_key, (position, turn.number, timestamp), agent, facts)
        if flags & _COUNTED and not flags & _DUPLICATE:
            self._count(position, flags)
        number = turn.number
        row = EntryRow(
            row_id, offset, length, kind, detail, uuid_key, parent_key, message_key, tool_key, timestamp, number, flags
        )
        batch.entries.append(row)
        if needs_record(kind, detail, flags):
            batch.extras[position] = source if isinstance(source, dict) else orjson.loads(source)

    def _key(self, text: str) -> int:
        key = self._key_cache.get(text)
        if key is None:
            key = self._key_cache[text] = key_of(text)
        return key

    def _note_environment(self, envelope: Envelope) -> None:
        facts = self.facts
        if envelope.branch and envelope.branch != facts.branch:
            facts.note_branch(envelope.branch)
        if envelope.version is not None and envelope.version != facts.version:
            facts.version = envelope.version[:40]
        facts.note_identity(envelope.cwd, envelope.session, envelope.agent)
        self._identified = bool(facts.cwd and facts.session_id and (facts.agent_id or not self._agent))

    def _agent_of(self, envelope: Envelope) -> str:
        return envelope.agent or self.facts.agent_id or "sidechain"

    def _pair(self, flags: int, tool_key: int | None) -> int:
        """A result is shown in the card of its call, or on its own if the call is not in this file."""
        if tool_key is None:
            return flags | _SHOWN
        if flags & _CALL:
            self._open_calls[tool_key] = None
        elif tool_key in self._open_calls:
            del self._open_calls[tool_key]
        else:
            flags |= _SHOWN
        return flags

    def _open_turn(self, position: int, text: str) -> OpenTurn:
        facts = self.facts
        if position:
            self._close_turn(position)
        facts.turn = OpenTurn(facts.turn.number + 1, position, position)
        if not facts.first_prompt:
            facts.first_prompt = text.strip()[:PROMPT_CHARS]
        return facts.turn

    def _close_turn(self, end: int) -> None:
        """Closes the turn before the entry at `end`."""
        turn, entries = self.facts.turn, self.batch.entries
        mine = min(end - turn.first, len(entries))
        times = [row.at for row in entries[len(entries) - mine :] if row.at is not None]
        if times:
            turn.started = times[0] if turn.started is None else turn.started
            turn.ended = max(times) if turn.ended is None else max(turn.ended, *times)
        turn.last = end - 1
        self.batch.turns[turn.number] = (
            self._base | turn.number,
            turn.first,
            turn.last,
            turn.started,
            turn.ended,
            turn.calls,
            turn.errors,
        )

    def _note_times(self) -> None:
        facts = self.facts
        times = [row.at for row in self.batch.entries if row.at is not None and row.type in CHAIN_TYPES]
        if times:
            facts.first_at = min(times) if facts.first_at is None else min(facts.first_at, *times)
            facts.last_at = max(times) if facts.last_at is None else max(facts.last_at, *times)

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
        if flags & _BOUNDARY or (flags & _SUMMARY and not facts.summary_due):
            # Before 2.0.76 a compaction wrote its summary without a boundary.
            facts.compactions += 1
            facts.ruler.boundaries.append(position)
        if flags & (_BOUNDARY | _SUMMARY):
            facts.summary_due = bool(flags & _BOUNDARY)

    def _note_state(self, kind: str, record: dict[str, Any]) -> None:
        key, rank = _STATES[kind]
        value = record.get(key)
        if type(value) is not str:
            return
        if rank:
            self.facts.note_title(rank, value)
        else:
            self.facts.continued_in = value[:200]
