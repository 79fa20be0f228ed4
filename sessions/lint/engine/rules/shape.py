"""The shape of the body: objects, roles and content where the API expects them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ROLES, ParsedRequest, sets_only_options
from sessions.transcripts.engine.messages import THINKING_TYPES

_NEEDED = {"text": ("text", str), "tool_use": ("input", Mapping), "thinking": ("thinking", str)}
_NO_PARTS = (None, "tool_use", "tool_result", *THINKING_TYPES)
_RESULT = "The content of a result is a text, or a list of texts, images and documents."


def check(request: ParsedRequest) -> Iterator[Finding]:
    messages = request.body.get("messages")
    if not isinstance(messages, list):
        yield _shape_finding("messages", "The body has no list of messages.", "messages: Field required")
        return
    if not messages:
        yield _shape_finding("messages", "There is no message.", "messages: at least one message is required")
    for index, message in enumerate(messages):
        yield from _check_message(f"messages[{index}]", message)
    if not isinstance(request.body.get("max_tokens"), int):
        yield Finding(
            "max-tokens",
            Severity.NOTE,
            "max_tokens",
            "The body does not say how long the answer may be.",
            "Set max_tokens before sending it.",
            "max_tokens: Field required",
        )


def _check_message(path: str, message: Any) -> Iterator[Finding]:
    if not isinstance(message, Mapping):
        yield _shape_finding(path, "A message has to be an object.")
        return
    if message.get("role") not in ROLES:
        yield _shape_finding(f"{path}.role", "A role has to be user, assistant or system.")
    content = message.get("content")
    if isinstance(content, list):
        for index, block in enumerate(content):
            yield from _check_block(f"{path}.content[{index}]", block)
    elif not isinstance(content, str) and not (content is None and sets_only_options(message)):
        yield _shape_finding(f"{path}.content", "The content has to be a text or a list of blocks.")


def _check_block(path: str, block: Any) -> Iterator[Finding]:
    if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
        yield _shape_finding(path, "A block has to be an object with a type.")
        return
    key = missing_key(block)
    if key:
        words = _RESULT if block["type"] == "tool_result" else f"A block of the type {block['type']} needs its {key}."
        yield _shape_finding(f"{path}.{key}", words)


def missing_key(block: Mapping[str, Any]) -> str:
    """The key that a block of its type needs and lacks; empty if it lacks none."""
    if block["type"] == "tool_result":
        return "" if _is_result(block.get("content")) else "content"
    if block["type"] == "compaction":
        return "" if _is_summary(block.get("content")) else "content"
    key, kind = _NEEDED.get(block["type"], ("type", str))
    return "" if isinstance(block.get(key), kind) else key


def _is_result(content: object) -> bool:
    """Is it the content of a result? Calls, results and thinking cannot be parts of one; other types are not
    checked."""
    if not isinstance(content, list | tuple):
        return content is None or isinstance(content, str)
    return all(isinstance(part, Mapping) and part.get("type") not in _NO_PARTS for part in content)


def _is_summary(content: object) -> bool:
    """Is it the content of a summary? None stands for one that failed, which the API ignores."""
    return content is None or (isinstance(content, str) and content != "")


def _shape_finding(path: str, message: str, api_error: str = "") -> Finding:
    return Finding("shape", Severity.REFUSED, path, message, "Give it the shape that the API documents.", api_error)
