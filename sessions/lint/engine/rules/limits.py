"""How much one request may hold, if it can be written at all."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request
from sessions.lint.engine.rules import characters
from sessions.lint.engine.size_limits import size_of, written

MOST_MESSAGES = 100_000
MOST_BYTES = 32 * 1024 * 1024


def check(request: Request) -> Iterator[Finding]:
    messages = request.body.get("messages")
    count = len(messages) if isinstance(messages, list) else 0
    if count > MOST_MESSAGES:
        yield Finding(
            "too-many-messages",
            Severity.REFUSED,
            "messages",
            f"There are {count:,} messages; {MOST_MESSAGES:,} are allowed.",
            "Join neighbours of one role, or compact the conversation.",
        )
    plain = written(request.body)
    if plain is None:
        yield from characters.check(request)
    size = size_of(request.body) if plain is None else len(plain)
    if size is not None and size > MOST_BYTES:
        yield Finding(
            "too-large",
            Severity.REFUSED,
            "",
            f"The body has {size:,} bytes; {MOST_BYTES:,} (32 MB) are allowed.",
            "Take out images and large results, or compact the conversation.",
            "Request exceeds the maximum size",
        )
