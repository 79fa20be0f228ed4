"""Reads a request body for the rules. The body may be anything; only what has the right shape is read.

The API joins neighbours of one role before it checks them, so most rules look at sections. Messages of the role
`system` do not count: what is before and after them belongs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.transcripts.engine.messages import Block, Message, text_block
from sessions.usage.engine.model_facts import ModelFacts, facts_of

ROLES = ("user", "assistant", "system")


@dataclass(frozen=True, slots=True)
class BlockSpot:
    """A block and where it is in the array; `index` is None if the content of the message is a string."""

    message: int
    index: int | None
    block: Block

    @property
    def type(self) -> str:
        return str(self.block["type"])

    @property
    def path(self) -> str:
        return f"messages[{self.message}].content" + ("" if self.index is None else f"[{self.index}]")

    @property
    def api_path(self) -> str:
        """As the API's errors write it."""
        return f"messages.{self.message}.content.{self.index or 0}"


@dataclass(slots=True, eq=False)
class MessageRow:
    """A message of the array; or a record of a transcript, which may be one of several of the same response."""

    role: str
    spots: list[BlockSpot]
    index: int
    response: str = ""


RoleSection = list[MessageRow]


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    body: Mapping[str, Any]
    rows: list[MessageRow]
    """Those messages that have a role and content."""
    sections: list[RoleSection]
    facts: ModelFacts | None
    model: str = ""
    spots: list[BlockSpot] = field(default_factory=list)


def parse_request(body: Mapping[str, Any], model: str | None = None) -> ParsedRequest:
    named = model or body.get("model")
    named = named if isinstance(named, str) else ""
    messages = body.get("messages")
    rows = list(read_rows(messages)) if isinstance(messages, list) else []
    spots = [spot for row in rows for spot in row.spots]
    return ParsedRequest(body, rows, join_sections(rows), facts_of(named), named, spots)


def read_rows(messages: Iterable[Any]) -> Iterator[MessageRow]:
    """Read an array as the API accepts it, or a list of our own messages."""
    for index, message in enumerate(messages):
        if isinstance(message, Message):
            yield MessageRow(message.role, _spots(index, message.content), index, message.message_id)
        elif isinstance(message, Mapping) and message.get("role") in ROLES:
            content = message.get("content")
            if isinstance(content, str):
                yield MessageRow(
                    message["role"], [BlockSpot(index, None, text_block(content))] if content else [], index
                )
            elif isinstance(content, list | tuple):
                yield MessageRow(message["role"], _spots(index, content), index)
            elif content is None and sets_only_options(message):
                yield MessageRow(message["role"], [], index)


def sets_only_options(message: Mapping[str, Any]) -> bool:
    """Is it a message of the role `system` without content, which only changes the options of the answer?"""
    return message.get("role") == "system" and bool(message.get("output_config"))


def _spots(index: int, content: Iterable[Any]) -> list[BlockSpot]:
    return [BlockSpot(index, number, block) for number, block in enumerate(content) if is_block(block)]


def is_block(block: object) -> bool:
    return isinstance(block, Mapping) and isinstance(block.get("type"), str)


def join_sections(rows: Iterable[MessageRow]) -> list[RoleSection]:
    """Join neighbours of one role, and records of one response even if results were written between them."""
    sections: list[RoleSection] = []
    answer: RoleSection | None = None
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


def pair_with_next(sections: list[RoleSection]) -> Iterator[tuple[RoleSection, RoleSection]]:
    """Each section with the one after it; the last one with an empty one."""
    for index, section in enumerate(sections):
        yield section, sections[index + 1] if index + 1 < len(sections) else []


def spots_of(section: RoleSection, *types: str) -> list[BlockSpot]:
    """The blocks of a section, or those of these types."""
    return [spot for row in section for spot in row.spots if not types or spot.type in types]


def api_path_of(path: str) -> str:
    """A path as the API's errors write it: `messages.3.content.0`."""
    return path.replace("[", ".").replace("]", "")


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""
