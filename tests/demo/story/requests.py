"""Requests as the story makes them, and the client's own log of them: shapes (system prompt, tools), blobs (messages),
and for each request what it shares with the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from tests.demo.story.blanks import Blanks
from tests.demo.story.blocks import Record
from tests.demo.story.head import Head
from tests.demo.story.ids import uid
from tests.demo.story.meter import Usage
from tests.demo.story.transcript import encode

if TYPE_CHECKING:
    from tests.demo.story.session import Session

_BETAS = [
    "claude-code-20250219",
    "interleaved-thinking-2025-05-14",
    "context-management-2025-06-27",
    "effort-2025-11-24",
]


@dataclass(slots=True)
class Asked:
    """A request. What it used is filled in once the transcript is counted."""

    moment: datetime
    model: str
    effort: str
    head: Head
    blanks: Blanks
    old: bool
    usage: str = ""
    used: Usage | None = None
    missed: str = ""
    """The blank for the tokens that the API says it missed."""
    logged: Logged | None = None
    cache_is_lost: bool = False
    listeners: list[Callable[[Usage], None]] = field(default_factory=list)
    """They get what it used."""
    _streamed: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.usage = self.blanks.open({})

    def streamed(self, index: int) -> str:
        """The usage on a row that is written before the answer is complete."""
        blank = self.blanks.open({})
        self._streamed.append((blank, 8 + 3 * index))
        return blank

    def fill(self, usage: Usage) -> None:
        self.used = usage
        self.blanks.fill(self.usage, self.row(usage, usage.output))
        for blank, output in self._streamed:
            self.blanks.fill(blank, self.row(usage, output))
        if self.missed:
            self.blanks.fill(self.missed, usage.write)
        for listener in self.listeners:
            listener(usage)

    def row(self, usage: Usage, output: int) -> Record:
        created = {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": usage.write}
        row: Record = {"input_tokens": usage.input, "cache_creation_input_tokens": usage.write}
        row["cache_read_input_tokens"] = usage.read
        if self.old:
            return row | {"cache_creation": created, "output_tokens": output, "service_tier": "standard"}
        row |= {"output_tokens": output, "output_tokens_details": {"thinking_tokens": min(usage.thinking, output)}}
        row |= {"server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard"}
        row |= {"cache_creation": created, "inference_geo": "not_available", "iterations": [], "speed": "standard"}
        return row


@dataclass(slots=True)
class Logged:
    """A request in the log: the blanks for what only its messages tell."""

    base: Logged | None
    blobs: list[tuple[str, str]]
    """For each message that the log holds itself: its hash, and the message."""
    keep: str
    tail: str
    marks: str
    hashes: list[str] = field(default_factory=list)

    def fill(self, blanks: Blanks, messages: Sequence[Record], hashes: list[str], marks: Sequence[Record]) -> None:
        self.hashes = hashes
        before = self.base.hashes if self.base else []
        same = zip(hashes, before, strict=False)
        keep = next((index for index, (new, old) in enumerate(same) if new != old), min(len(hashes), len(before)))
        blanks.fill(self.keep, keep)
        blanks.fill(self.tail, hashes[keep:])
        blanks.fill(self.marks, list(marks))
        for (name, blank), message, digest in zip(self.blobs, messages, hashes, strict=False):
            blanks.fill(name, digest)
            blanks.fill(blank, message)


def digest(value: Record | str) -> str:
    return hashlib.sha256(value.encode() if isinstance(value, str) else encode(value)).hexdigest()


class RequestLog:
    """`base`, `keep` and `tail` say which messages a request shares with the one before and which are new."""

    def __init__(self) -> None:
        self.latest: Logged | None = None
        self.pending: str | None = None
        self._base = ""
        self._count = 0
        self._written: set[str] = set()

    def fresh(self) -> None:
        """Nothing is shared with what was sent before (a compaction, another model)."""
        self.latest = None

    def note(self, session: Session, blobs: int = 0) -> str:
        """Writes the records of one request and gives its id. `blobs`: so many of its messages are logged whole."""
        self._count += 1
        ident = uid(f"{session.label}/request {self._count}")
        shape = session.head.shape()
        key = digest(shape)
        whose = {"sessionId": session.session, **({"agentId": session.setting.agent} if session.setting.agent else {})}
        now = {"timestamp": session.clock.stamp(), "version": session.setting.version}
        if key not in self._written:
            self._written.add(key)
            session.state({"type": "api-request-shape", **whose, "shapeHash": key, **now, "shape": shape})
        blanks = session.blanks
        logged = Logged(
            self.latest,
            [(blanks.open(""), blanks.open({})) for _ in range(blobs)],
            blanks.open(None),
            blanks.open(None),
            blanks.open([]),
        )
        for name, message in logged.blobs:
            session.state({"type": "api-request-blob", **whose, "hash": name, "message": message})
        record: Record = {"type": "api-request", **whose, "id": ident, **now, "querySource": session.source}
        record |= {"shapeHash": key, "params": self._params(session)}
        if self.latest:
            record["base"] = self._base
        record |= {"keep": logged.keep, "tail": logged.tail, "cacheControl": logged.marks}
        session.state(record | {"requestDigest": digest(f"{ident} {key}")})
        self.latest, self._base = logged, ident
        return ident

    def _params(self, session: Session) -> Record:
        return {
            "model": session.model,
            "betas": _BETAS,
            "max_tokens": 128000,
            "thinking": {"type": "adaptive", "display": "updates"},
            "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
            "output_config": {"effort": session.effort},
        }
