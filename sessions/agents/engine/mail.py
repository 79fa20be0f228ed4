"""What agents of one session wrote to each other: tasks and their results, messages, notices.

A message may stand on disk several times: where it was sent, while it waited, and where it arrived. It is one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from sessions.agents.engine.notices import (
    Notice,
    letters,
    notices,
    read,
    said_to,
    told,
)
from sessions.linking.engine.raw_fields import blocks, mapping, text

MAIN = ""
"""The session's own thread."""
EVERYONE = "*"
NAMED = "?"
"""Before the name of somebody who has no transcript here; alone: nobody knows who."""
STARTS = ("Agent", "Task")
SENDS = "SendMessage"
ASKS = ("TaskOutput", "AgentOutputTool", "AgentOutput")
STOPS = ("TaskStop", "KillAgent")
WORKFLOW = "Workflow"
CALLS = (*STARTS, SENDS, *ASKS, *STOPS, WORKFLOW)
"""The tools whose calls are messages, or start something that sends some."""
WORDS = 4_000
"""Characters of a message that are kept; what is shown is shorter."""
_LEADS = ("main", "team-lead", "lead", "coordinator", "parent")
_LAUNCHED = ("async_launched", "teammate_spawned", "remote_launched", "queued")
_SAME = 200


class MailKind(StrEnum):
    TASK = "task"
    RESULT = "result"
    MESSAGE = "message"
    NOTICE = "notice"
    ASKS = "asks"
    """For the output so far."""
    STOP = "stop"


class Spot(NamedTuple):
    """A record: whose file it stands in, where, and when it was written."""

    owner: str
    position: int
    at: int | None


@dataclass(frozen=True, slots=True)
class Mail:
    kind: MailKind
    sender: str
    """An agent's id; `MAIN`, or `?name` of somebody without a transcript here."""
    recipient: str
    words: str
    topic: str = ""
    failed: bool = False
    sent: Spot | None = None
    received: Spot | None = None

    @property
    def spot(self) -> Spot:
        """The record to show: where it arrived, or else where it was sent."""
        spot = self.received or self.sent
        assert spot is not None
        return spot

    @property
    def at(self) -> int | None:
        return self.sent.at if self.sent is not None and self.sent.at is not None else self.spot.at


@dataclass(slots=True)
class Book:
    """Who is meant by a name or an id. `started`: tool_use id of a call -> the agent that it started."""

    agents: set[str]
    started: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """What a call named its agent -> the agent, or `?name` where its transcript is not here."""

    def call(self, given: Mapping[str, Any], tool: str) -> str:
        """Whom a call starts. From then on the name that it gives means that agent."""
        name = text(given.get("name")).strip()
        agent = self.started.get(tool) or f"{NAMED}{name}"
        if name:
            self.names[name] = agent
        return agent

    def find(self, name: str) -> str:
        bare = name.strip()
        if bare in self.agents:
            return bare
        if bare == EVERYONE:
            return EVERYONE
        short = bare.partition("@")[0]
        for one in (bare, short):
            if one in self.names:
                return self.names[one]
        return MAIN if short.lower() in _LEADS else f"{NAMED}{short}"


class Post:
    """Reads the records of one file after the other, those who start agents first, and notes what was sent."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._asked: dict[str, int] = {}
        """tool_use id of a call -> its place among the mails."""
        self.mails: list[Mail] = []
        self.commands = 0
        """Notices of tasks that are no agents."""

    def read(self, record: Mapping[str, Any], spot: Spot) -> None:
        if record.get("type") == "assistant":
            for block in blocks(record):
                if block.get("type") == "tool_use":
                    self._call(block, spot)
            return
        if record.get("type") == "user":
            for block in blocks(record):
                if block.get("type") == "tool_result":
                    self._result(record, block, spot)
        waits = record.get("type") == "queue-operation"
        sent, received = (spot, None) if waits else (None, spot)
        words = said_to(record)
        for notice in notices(words):
            sender = self._sender(notice)
            if sender is None:
                self.commands += waits
                continue
            failed = notice.status.lower() in ("failed", "error")
            said = (notice.result or notice.summary)[:WORDS]
            self.mails.append(Mail(MailKind.NOTICE, sender, spot.owner, said, notice.status, failed, sent, received))
        for letter in letters(words):
            sender = self._book.find(letter.sender) if letter.sender else NAMED
            said = letter.words[:WORDS]
            self.mails.append(Mail(MailKind.MESSAGE, sender, spot.owner, said, letter.topic, False, sent, received))

    def _sender(self, notice: Notice) -> str | None:
        """None if it is no agent."""
        sender = self._book.started.get(notice.tool_use_id) or notice.task
        if sender in self._book.agents:
            return sender
        at = self._asked.get(notice.tool_use_id)
        if at is not None:
            return self.mails[at].recipient
        return NAMED if notice.summary.startswith("Agent ") else None

    def _call(self, block: Mapping[str, Any], spot: Spot) -> None:
        name, tool, given = text(block.get("name")), text(block.get("id")), mapping(block.get("input"))
        made = self._start(name, tool, given, spot)
        if made is None and name == SENDS:
            made = self._send(given, spot)
        elif made is None and (name in ASKS or name in STOPS):
            made = self._manage(name, given, spot)
        if made is not None:
            self._asked[tool] = len(self.mails)
            self.mails.append(made)

    def _start(self, name: str, tool: str, given: Mapping[str, Any], spot: Spot) -> Mail | None:
        if name not in STARTS and name != WORKFLOW:
            return None
        recipient = self._book.call(given, tool)
        if name == WORKFLOW and recipient == NAMED:
            recipient = f"{NAMED}workflow"
        words = text(given.get("description")) or text(given.get("prompt"))
        return Mail(MailKind.TASK, spot.owner, recipient, words[:WORDS], sent=spot)

    def _send(self, given: Mapping[str, Any], spot: Spot) -> Mail:
        whom = text(given.get("to")) or text(given.get("recipient"))
        recipient = self._book.find(whom) if whom else NAMED
        if text(given.get("type")) == "broadcast":
            recipient = EVERYONE
        return Mail(MailKind.MESSAGE, spot.owner, recipient, *_sent(given), sent=spot)

    def _manage(self, name: str, given: Mapping[str, Any], spot: Spot) -> Mail | None:
        task = next((found for one in ("task_id", "agentId", "agent_id") if (found := text(given.get(one)))), "")
        if task not in self._book.agents:
            return None  # a command in the background
        if name in ASKS:
            return Mail(MailKind.ASKS, spot.owner, task, "for its output", sent=spot)
        return Mail(MailKind.STOP, spot.owner, task, "stop", sent=spot)

    def _result(self, record: Mapping[str, Any], block: Mapping[str, Any], spot: Spot) -> None:
        at = self._asked.get(text(block.get("tool_use_id")))
        if at is None:
            return
        asked, failed = self.mails[at], block.get("is_error") is True
        if asked.kind in (MailKind.TASK, MailKind.ASKS):
            if failed or not launched(record):
                words = _words(block)[:WORDS]
                self.mails.append(Mail(MailKind.RESULT, asked.recipient, spot.owner, words, "", failed, received=spot))
        elif failed:
            self.mails[at] = replace(asked, failed=True)


def launched(record: Mapping[str, Any]) -> bool:
    """Does this result of a call say no more than that the agent was started?"""
    return text(mapping(record.get("toolUseResult")).get("status")) in _LAUNCHED


def mailed(mails: Iterable[Mail]) -> list[Mail]:
    """Each message once, in order of time: what was sent and what arrived with the same words belong together."""
    found: list[Mail] = []
    waiting: dict[tuple[MailKind, str, str], list[int]] = {}
    for mail in sorted(mails, key=lambda one: (one.at is None, one.at or 0)):
        key = (mail.kind, mail.recipient, _core(mail.words))
        at = next((one for one in waiting.get(key, ()) if _same(found[one], mail)), None)
        if at is not None:
            known = found[at]
            sender = mail.sender if known.sender.startswith(NAMED) else known.sender
            found[at] = replace(known, sender=sender, received=mail.received, topic=known.topic or mail.topic)
            if mail.received is not None:
                waiting[key].remove(at)
            continue
        if mail.received is None and mail.kind in (MailKind.MESSAGE, MailKind.NOTICE):
            waiting.setdefault(key, []).append(len(found))
        found.append(mail)
    return found


def _same(known: Mail, mail: Mail) -> bool:
    """Is `mail` the same message as `known`, which was sent and has not arrived: there, or still waiting there?"""
    alike = known.sender == mail.sender or NAMED in (known.sender[:1], mail.sender[:1])
    waits = mail.sent is not None and mail.sent.owner == mail.recipient
    return alike and (mail.received is not None or (waits and known.sent != mail.sent and _outside(known)))


def _outside(mail: Mail) -> bool:
    """Was it noted in the file of whom it came from, not of whom it is for?"""
    return mail.sent is not None and mail.sent.owner != mail.recipient


def _core(words: str) -> str:
    return " ".join(words[: 4 * _SAME].split())[:_SAME]


def _sent(given: Mapping[str, Any]) -> tuple[str, str]:
    """Words and topic of what `SendMessage` was given, in any of its forms."""
    said = given.get("message") if given.get("message") is not None else given.get("content")
    topic = text(given.get("type"))
    if isinstance(said, Mapping):
        return told(said)[:WORDS], text(said.get("type"))
    words, within = read(text(said).strip())
    return (words or text(given.get("summary")))[:WORDS], within or ("" if topic in ("message", "broadcast") else topic)


def _words(result: Mapping[str, Any]) -> str:
    content = result.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(text(mapping(part).get("text")) for part in parts)
