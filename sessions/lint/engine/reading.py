"""A request's body as the rules read it: whatever it is, only what has the right shape is looked at.

The API joins neighbours of one role before it checks them, so most rules look at sections. Messages of the role
`system` stand outside that: what is before and after them belongs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.transcripts.engine.messages import Block, Message, text_block
from sessions.usage.engine.model_facts import ModelFacts, facts_of

ROLES = ("user", "assistant", "system")
THINKING = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Spot:
    """A block and its place in the array; `at` is None where the content of the message is just a string."""

    message: int
    at: int | None
    block: Block

    @property
    def type(self) -> str:
        return str(self.block["type"])

    @property
    def path(self) -> str:
        return f"messages[{self.message}].content" + ("" if self.at is None else f"[{self.at}]")

    @property
    def api_path(self) -> str:
        """As the API's errors write it."""
        return f"messages.{self.message}.content.{self.at or 0}"


@dataclass(slots=True, eq=False)
class Row:
    """A message of the array, or a record of a transcript, which may share its response with others."""

    role: str
    spots: list[Spot]
    index: int
    response: str = ""


Section = list[Row]


@dataclass(frozen=True, slots=True)
class Request:
    body: Mapping[str, Any]
    rows: list[Row]
    """Those messages that have a role and content."""
    sections: list[Section]
    facts: ModelFacts | None
    model: str = ""
    spots: list[Spot] = field(default_factory=list)


def request_of(body: Mapping[str, Any], model: str | None = None) -> Request:
    named = model or body.get("model")
    named = named if isinstance(named, str) else ""
    messages = body.get("messages")
    rows = list(rows_of(messages)) if isinstance(messages, list) else []
    spots = [spot for row in rows for spot in row.spots]
    return Request(body, rows, sections_of(rows), facts_of(named), named, spots)


def rows_of(messages: Iterable[Any]) -> Iterator[Row]:
    """Reads an array as the API takes it, or a list of our own messages."""
    for index, message in enumerate(messages):
        if isinstance(message, Message):
            yield Row(message.role, _spots(index, message.content), index, message.message_id)
        elif isinstance(message, Mapping) and message.get("role") in ROLES:
            content = message.get("content")
            if isinstance(content, str):
                yield Row(message["role"], [Spot(index, None, text_block(content))] if content else [], index)
            elif isinstance(content, list | tuple):
                yield Row(message["role"], _spots(index, content), index)
            elif content is None and only_sets_options(message):
                yield Row(message["role"], [], index)


def only_sets_options(message: Mapping[str, Any]) -> bool:
    """A message of the role `system` may change the options of the answer and say nothing."""
    return message.get("role") == "system" and bool(message.get("output_config"))


def _spots(index: int, content: Iterable[Any]) -> list[Spot]:
    return [Spot(index, at, block) for at, block in enumerate(content) if is_block(block)]


def is_block(block: object) -> bool:
    return isinstance(block, Mapping) and isinstance(block.get("type"), str)


def sections_of(rows: Iterable[Row]) -> list[Section]:
    """Neighbours of one role, and records of one response even if results were written between them."""
    sections: list[Section] = []
    answer: Section | None = None
    for row in rows:
        if row.role == "system" or not row.spots:
            continue
        if answer and row.role == "assistant" and row.response and row.response == answer[-1].response:
            answer.append(row)
            continue
        if sections and sections[-1][0].role == row.role:
            sections[-1].append(row)
        else:
            sections.append([row])
        if row.role == "assistant":
            answer = sections[-1]
    return sections


def followed(sections: list[Section]) -> Iterator[tuple[Section, Section]]:
    """Each section with the one after it; after the last comes an empty one."""
    for at, section in enumerate(sections):
        yield section, sections[at + 1] if at + 1 < len(sections) else []


def spots_of(section: Section, *types: str) -> list[Spot]:
    """The blocks of a section, or those of these types."""
    return [spot for row in section for spot in row.spots if not types or spot.type in types]


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""
