"""Parses the answer to a request: a message, a stream of events, or an error. An answer that was cut off counts as far
as it arrived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sessions.capture.engine.documents import loads
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages.stream import MessageBuilder
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Answer:
    message: Mapping[str, Any] | None = None
    """In the form without streaming; None if no part of a message arrived."""
    error: str = ""
    """Type and message of the API's error."""
    complete: bool = False

    @property
    def id(self) -> str:
        return text(mapping(self.message).get("id"))

    @property
    def usage(self) -> Usage | None:
        return Usage.from_raw(mapping(self.message).get("usage"))

    @property
    def stop_reason(self) -> str:
        return text(mapping(self.message).get("stop_reason"))

    @property
    def diagnostics(self) -> Mapping[str, Any]:
        return mapping(mapping(self.message).get("diagnostics"))


def parse_answer(body: bytes, content_type: str) -> Answer:
    if "event-stream" in content_type:
        return _read_stream(body)
    try:
        value = mapping(loads(body)) if body.strip() else {}
    except (ValueError, RecursionError):
        return Answer()
    if value.get("type") == "error":
        return Answer(None, _error_text(value))
    return Answer(value, complete=True) if value.get("type") == "message" else Answer()


def _error_text(event: Mapping[str, Any]) -> str:
    error = mapping(event.get("error"))
    return ": ".join(filter(None, (text(error.get("type")), text(error.get("message")))))


def _read_stream(body: bytes) -> Answer:
    builder, error = MessageBuilder(), ""
    for event in _events(body):
        if event.get("type") == "error":
            error = _error_text(event)
        else:
            with suppress(AttributeError, KeyError, TypeError, ValueError):
                builder.take(event)
    return Answer(builder.message(), error, builder.complete)


def _events(body: bytes) -> Iterator[Mapping[str, Any]]:
    """The data of each event: {} if it is not JSON. A last event without an end is dropped."""
    # Not splitlines(), which also splits at characters that JSON may contain.
    lines: list[bytes] = []
    for line in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            try:
                yield mapping(loads(b"\n".join(lines)))
            except (ValueError, RecursionError):
                yield {}
            lines = []
