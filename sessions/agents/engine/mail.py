"""Messages between the agents of a session: tasks and their results, messages, notices.

A message may be recorded several times: where it was sent, while it waited, and where it arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from sessions.agents.engine.notices import (
    Notice,
    incoming_text,
    parse_body,
    parse_messages,
    parse_notices,
    structured_words,
)
from sessions.linking.engine.raw_fields import blocks, mapping, text

MAIN = ""
"""The session's own thread."""
EVERYONE = "*"
UNKNOWN = "?"
"""Prefix of the name of an agent without a transcript. Alone, it means that no name is recorded."""
START_TOOLS = ("Agent", "Task")
SEND_TOOL = "SendMessage"
OUTPUT_TOOLS = ("TaskOutput", "AgentOutputTool", "AgentOutput")
STOP_TOOLS = ("TaskStop", "KillAgent")
WORKFLOW_TOOL = "Workflow"
MAIL_TOOLS = (*START_TOOLS, SEND_TOOL, *OUTPUT_TOOLS, *STOP_TOOLS, WORKFLOW_TOOL)
"""Tools whose calls are messages, or start something that sends messages."""
MAX_CHARS = 4_000
"""Characters that are kept of a message. Pages show less."""
_LEADS = ("main", "team-lead", "lead", "coordinator", "parent")
_LAUNCHED = ("async_launched", "teammate_spawned", "remote_launched", "queued")
_SAME = 200


class MailKind(StrEnum):
    TASK = "task"
    RESULT = "result"
    MESSAGE = "message"
    NOTICE = "notice"
    ASKS = "asks"
    """Asks for the output so far."""
    STOP = "stop"


class RecordPosition(NamedTuple):
    """Where a record is (whose file, which position), and when it was written."""

    owner: str
    position: int
    at: int | None


@dataclass(frozen=True, slots=True)
class Mail:
    kind: MailKind
    sender: str
    """An agent's id, `MAIN`, or `?name` for an agent without a transcript."""
    recipient: str
    words: str
    topic: str = ""
    failed: bool = False
    sent: RecordPosition | None = None
    received: RecordPosition | None = None

    @property
    def spot(self) -> RecordPosition:
        """The record to show: where the message arrived, or else where it was sent."""
        spot = self.received or self.sent
        assert spot is not None
        return spot

    @property
    def at(self) -> int | None:
        return self.sent.at if self.sent is not None and self.sent.at is not None else self.spot.at


@dataclass(slots=True)
class AddressBook:
    """Which agent a name or an id means. `started`: tool_use id of a call -> the agent that it started."""

    agents: set[str]
    started: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Name that a call gave to its agent -> the agent, or `?name` if it has no transcript."""

    def start_agent(self, arguments: Mapping[str, Any], tool: str) -> str:
        """The agent that a call starts. From then on, the name in the call means this agent."""
        name = text(arguments.get("name")).strip()
        agent = self.started.get(tool) or f"{UNKNOWN}{name}"
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
        for candidate in (bare, short):
            if candidate in self.names:
                return self.names[candidate]
        return MAIN if short.lower() in _LEADS else f"{UNKNOWN}{short}"


class MailReader:
    """Collects messages from the records of one file after another. Files of agents that start others come first."""

    def __init__(self, book: AddressBook) -> None:
        self._address_book = book
        self._mail_by_call: dict[str, int] = {}
        """tool_use id of a call -> its index in `mails`."""
        self.mails: list[Mail] = []
        self.commands = 0
        """How many notices came from background commands instead of agents."""

    def read(self, record: Mapping[str, Any], spot: RecordPosition) -> None:
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
        text_received = incoming_text(record)
        for notice in parse_notices(text_received):
            sender = self._sender(notice)
            if sender is None:
                self.commands += waits
                continue
            failed = notice.status.lower() in ("failed", "error")
            words = (notice.result or notice.summary)[:MAX_CHARS]
            self.mails.append(Mail(MailKind.NOTICE, sender, spot.owner, words, notice.status, failed, sent, received))
        for letter in parse_messages(text_received):
            sender = self._address_book.find(letter.sender) if letter.sender else UNKNOWN
            words = letter.words[:MAX_CHARS]
            self.mails.append(Mail(MailKind.MESSAGE, sender, spot.owner, words, letter.topic, False, sent, received))

    def _sender(self, notice: Notice) -> str | None:
        """None if the notice is not from an agent."""
        sender = self._address_book.started.get(notice.tool_use_id) or notice.task
        if sender in self._address_book.agents:
            return sender
        index = self._mail_by_call.get(notice.tool_use_id)
        if index is not None:
            return self.mails[index].recipient
        return UNKNOWN if notice.summary.startswith("Agent ") else None

    def _call(self, block: Mapping[str, Any], spot: RecordPosition) -> None:
        name, tool, arguments = text(block.get("name")), text(block.get("id")), mapping(block.get("input"))
        mail = self._start(name, tool, arguments, spot)
        if mail is None and name == SEND_TOOL:
            mail = self._send(arguments, spot)
        elif mail is None and (name in OUTPUT_TOOLS or name in STOP_TOOLS):
            mail = self._manage(name, arguments, spot)
        if mail is not None:
            self._mail_by_call[tool] = len(self.mails)
            self.mails.append(mail)

    def _start(self, name: str, tool: str, arguments: Mapping[str, Any], spot: RecordPosition) -> Mail | None:
        if name not in START_TOOLS and name != WORKFLOW_TOOL:
            return None
        recipient = self._address_book.start_agent(arguments, tool)
        if name == WORKFLOW_TOOL and recipient == UNKNOWN:
            recipient = f"{UNKNOWN}workflow"
        words = text(arguments.get("description")) or text(arguments.get("prompt"))
        return Mail(MailKind.TASK, spot.owner, recipient, words[:MAX_CHARS], sent=spot)

    def _send(self, arguments: Mapping[str, Any], spot: RecordPosition) -> Mail:
        name = text(arguments.get("to")) or text(arguments.get("recipient"))
        recipient = self._address_book.find(name) if name else UNKNOWN
        if text(arguments.get("type")) == "broadcast":
            recipient = EVERYONE
        return Mail(MailKind.MESSAGE, spot.owner, recipient, *_message_and_topic(arguments), sent=spot)

    def _manage(self, name: str, arguments: Mapping[str, Any], spot: RecordPosition) -> Mail | None:
        task = next((value for key in ("task_id", "agentId", "agent_id") if (value := text(arguments.get(key)))), "")
        if task not in self._address_book.agents:
            return None  # a command in the background
        if name in OUTPUT_TOOLS:
            return Mail(MailKind.ASKS, spot.owner, task, "for its output", sent=spot)
        return Mail(MailKind.STOP, spot.owner, task, "stop", sent=spot)

    def _result(self, record: Mapping[str, Any], block: Mapping[str, Any], spot: RecordPosition) -> None:
        index = self._mail_by_call.get(text(block.get("tool_use_id")))
        if index is None:
            return
        call, failed = self.mails[index], block.get("is_error") is True
        if call.kind in (MailKind.TASK, MailKind.ASKS):
            if failed or not is_launch(record):
                words = _result_text(block)[:MAX_CHARS]
                self.mails.append(Mail(MailKind.RESULT, call.recipient, spot.owner, words, "", failed, received=spot))
        elif failed:
            self.mails[index] = replace(call, failed=True)


def is_launch(record: Mapping[str, Any]) -> bool:
    """Whether this result of a call only says that the agent was started."""
    return text(mapping(record.get("toolUseResult")).get("status")) in _LAUNCHED


def merge_copies(mails: Iterable[Mail]) -> list[Mail]:
    """Each message once, by time: a sent and a received message with the same words are the same."""
    merged: list[Mail] = []
    waiting: dict[tuple[MailKind, str, str], list[int]] = {}
    for mail in sorted(mails, key=lambda mail: (mail.at is None, mail.at or 0)):
        key = (mail.kind, mail.recipient, _comparison_key(mail.words))
        index = next((index for index in waiting.get(key, ()) if _is_same(merged[index], mail)), None)
        if index is not None:
            earlier = merged[index]
            sender = mail.sender if earlier.sender.startswith(UNKNOWN) else earlier.sender
            merged[index] = replace(earlier, sender=sender, received=mail.received, topic=earlier.topic or mail.topic)
            if mail.received is not None:
                waiting[key].remove(index)
            continue
        if mail.received is None and mail.kind in (MailKind.MESSAGE, MailKind.NOTICE):
            waiting.setdefault(key, []).append(len(merged))
        merged.append(mail)
    return merged


def _is_same(earlier: Mail, mail: Mail) -> bool:
    """Whether `mail` is the arrival, or the waiting copy, of `earlier`, which was sent and has not arrived."""
    alike = earlier.sender == mail.sender or UNKNOWN in (earlier.sender[:1], mail.sender[:1])
    waits = mail.sent is not None and mail.sent.owner == mail.recipient
    return alike and (mail.received is not None or (waits and earlier.sent != mail.sent and _is_from_sender(earlier)))


def _is_from_sender(mail: Mail) -> bool:
    """Whether it was recorded in the file of its sender, not of its recipient."""
    return mail.sent is not None and mail.sent.owner != mail.recipient


def _comparison_key(words: str) -> str:
    return " ".join(words[: 4 * _SAME].split())[:_SAME]


def _message_and_topic(arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Words and topic of the input of `SendMessage`, in any of its forms."""
    body = arguments.get("message") if arguments.get("message") is not None else arguments.get("content")
    topic = text(arguments.get("type"))
    if isinstance(body, Mapping):
        return structured_words(body)[:MAX_CHARS], text(body.get("type"))
    words, structured_topic = parse_body(text(body).strip())
    return (words or text(arguments.get("summary")))[:MAX_CHARS], structured_topic or (
        "" if topic in ("message", "broadcast") else topic
    )


def _result_text(result: Mapping[str, Any]) -> str:
    content = result.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(text(mapping(part).get("text")) for part in parts)
