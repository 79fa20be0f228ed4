"""How much one request may hold."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.engine.lint.finding import Finding, Severity
from sessions.engine.lint.reading import Request
from sessions.engine.lint.weighing import size_of

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
    size = size_of(request.body)
    if size is not None and size > MOST_BYTES:
        yield Finding(
            "too-large",
            Severity.REFUSED,
            "",
            f"The body has {size / 1024 / 1024:.1f} MB; 32 are allowed.",
            "Take out images and large results, or compact the conversation.",
            "Request exceeds the maximum size",
        )
