"""The limits of one request, and texts that cannot be written as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest
from sessions.lint.engine.rules import characters
from sessions.lint.engine.size_limits import json_size, to_json

MAX_MESSAGES = 100_000
MAX_BYTES = 32 * 1024 * 1024


def check(request: ParsedRequest) -> Iterator[Finding]:
    messages = request.body.get("messages")
    count = len(messages) if isinstance(messages, list) else 0
    if count > MAX_MESSAGES:
        yield Finding(
            "too-many-messages",
            Severity.REFUSED,
            "messages",
            f"There are {count:,} messages; {MAX_MESSAGES:,} are allowed.",
            "Join neighbours of one role, or compact the conversation.",
        )
    plain = to_json(request.body)
    if plain is None:
        yield from characters.check(request)
    size = json_size(request.body) if plain is None else len(plain)
    if size is not None and size > MAX_BYTES:
        yield Finding(
            "too-large",
            Severity.REFUSED,
            "",
            f"The body has {size:,} bytes; {MAX_BYTES:,} (32 MB) are allowed.",
            "Take out images and large results, or compact the conversation.",
            "Request exceeds the maximum size",
        )
