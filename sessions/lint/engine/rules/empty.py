"""Empty texts and empty messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import BlockSpot, ParsedRequest, RoleSection, sets_only_options, spots_of
from sessions.transcripts.engine.messages import THINKING_TYPES

_EMPTY = "text content blocks must be non-empty"
_BLANK = "text content blocks must contain non-whitespace text"


def check(request: ParsedRequest) -> Iterator[Finding]:
    last = request.rows[-1].index if request.rows else -1
    accepted = {id(spot) for spot in accepted_blanks(request.sections)}
    for row in request.rows:
        message = request.body["messages"][row.index]
        optional = row.role == "assistant" and row.index == last
        empty = message.get("content") in ("", [], ()) and not sets_only_options(message)
        if empty and row.role == "system":
            yield Finding(
                "empty-message",
                Severity.NOTE,
                f"messages[{row.index}]",
                "The message has no content. The client itself sends such messages of the role system.",
                "Leave the message out.",
            )
        elif empty and not optional:
            yield Finding(
                "empty-message",
                Severity.REFUSED,
                f"messages[{row.index}]",
                "The message has no content.",
                "Leave the message out.",
                f"messages.{row.index}: all messages must have non-empty content except for the optional final "
                "assistant message",
            )
        for spot in row.spots:
            yield from [_accepted_finding(spot)] if id(spot) in accepted else _check_spot(spot)
    system = request.body.get("system")
    for index, block in enumerate(system if isinstance(system, list) else []):
        if is_blank(block):
            yield _blank_finding(f"system[{index}]", f"system: {_api_words(block)}")


def accepted_blanks(sections: list[RoleSection]) -> Iterator[BlockSpot]:
    """Blank texts in answers with other content. Models write them before they think, and the API accepts them when
    they are sent back."""
    for section in sections:
        spots = spots_of(section) if section[0].role == "assistant" else []
        if any(spot.type not in THINKING_TYPES and not is_blank(spot.block) for spot in spots):
            yield from (spot for spot in spots if is_blank(spot.block) and spot.block["text"])


def is_blank(block: object) -> bool:
    """Is it a text of white space, or empty?"""
    if not isinstance(block, Mapping) or block.get("type") != "text":
        return False
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def is_empty_error(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "tool_result" and bool(block.get("is_error")) and not block.get("content")


def empty_parts(block: Mapping[str, Any]) -> list[int]:
    """The indexes of the empty texts in a result. Blank texts are accepted there: tools may print only line breaks."""
    content = block.get("content") if block.get("type") == "tool_result" else None
    return [index for index, part in enumerate(content if isinstance(content, list) else []) if _is_empty(part)]


def _is_empty(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and part.get("text") == ""


def _check_spot(spot: BlockSpot) -> Iterator[Finding]:
    if is_blank(spot.block):
        yield _blank_finding(spot.path, f"messages: {_api_words(spot.block)}")
    for index in empty_parts(spot.block):
        yield _blank_finding(f"{spot.path}.content[{index}]", f"messages: {_EMPTY}")
    if is_empty_error(spot.block):
        yield Finding(
            "empty-error",
            Severity.REFUSED,
            spot.path,
            "A result that is an error has to say something.",
            "Give it some text, or do not call it an error.",
            f"{spot.api_path}.tool_result: content cannot be empty if `is_error` is true",
        )


def _accepted_finding(spot: BlockSpot) -> Finding:
    words = "The text is blank. In an answer that holds more the API takes it; newer clients leave it out."
    return Finding("empty-text", Severity.NOTE, spot.path, words, "It can be left out, at the price of the cache.")


def _api_words(block: Mapping[str, Any]) -> str:
    return _BLANK if block["text"] else _EMPTY


def _blank_finding(path: str, api_error: str) -> Finding:
    return Finding("empty-text", Severity.REFUSED, path, "The text is empty.", "Leave the block out.", api_error)
