"""Parses the answer to a request: a message, a stream of events, or an error. An answer that was cut off counts as far
as it arrived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.capture.engine.documents import loads
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.usage import Usage

_APPENDED = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}


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
    builder, error = _MessageBuilder(), ""
    for event in _events(body):
        if event.get("type") == "error":
            error = _error_text(event)
        else:
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


class _MessageBuilder:
    def __init__(self) -> None:
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self.complete = False

    def take(self, event: Mapping[str, Any]) -> None:
        kind, index = event.get("type"), event.get("index")
        if kind == "message_start":
            self._message = dict(mapping(event.get("message")))
        elif kind == "content_block_start" and isinstance(index, int):
            self._blocks[index] = dict(mapping(event.get("content_block")))
        elif kind == "content_block_delta" and isinstance(index, int) and index in self._blocks:
            self._extend(index, mapping(event.get("delta")))
        elif kind == "message_delta":
            self._change(event)
        elif kind == "message_stop":
            self.complete = True

    def _extend(self, index: int, delta: Mapping[str, Any]) -> None:
        block, kind = self._blocks[index], text(delta.get("type"))
        if kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(text(delta.get("partial_json")))
        elif kind == "citations_delta":
            citations = block.get("citations")
            block["citations"] = [*(citations if isinstance(citations, list) else ()), delta.get("citation")]
        elif kind in _APPENDED:
            name = _APPENDED[kind]
            block[name] = text(block.get(name)) + text(delta.get(name))

    def _change(self, event: Mapping[str, Any]) -> None:
        if self._message is None:
            return
        changes = {name: value for name, value in event.items() if name not in ("type", "delta", "usage")}
        self._message |= changes | {
            name: value for name, value in mapping(event.get("delta")).items() if value is not None
        }
        usage = {name: value for name, value in mapping(event.get("usage")).items() if value is not None}
        self._message["usage"] = {**mapping(self._message.get("usage")), **usage}

    def message(self) -> Mapping[str, Any] | None:
        if self._message is None:
            return None
        for index, pieces in self._inputs.items():
            self._blocks[index]["input"] = _parse_input("".join(pieces))
        return {**self._message, "content": [block for _, block in sorted(self._blocks.items())]}


def _parse_input(written: str) -> Any:
    """The input of a tool; text if the call was cut off."""
    try:
        return loads(written) if written.strip() else {}
    except (ValueError, RecursionError):
        return written
