"""The answer to a request: a whole message, one that is streamed as events, or an error. What arrived counts, even if
the rest did not."""

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
    """As the API gives it without streaming; None if nothing of one came."""
    error: str = ""
    """In the API's words: its type, then its sentence."""
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


def answer_of(body: bytes, content_type: str) -> Answer:
    if "event-stream" in content_type:
        return _streamed(body)
    try:
        value = mapping(loads(body)) if body.strip() else {}
    except (ValueError, RecursionError):
        return Answer()
    if value.get("type") == "error":
        return Answer(None, _error(value))
    return Answer(value, complete=True) if value.get("type") == "message" else Answer()


def _error(event: Mapping[str, Any]) -> str:
    error = mapping(event.get("error"))
    return ": ".join(filter(None, (text(error.get("type")), text(error.get("message")))))


def _streamed(body: bytes) -> Answer:
    building, error = _Building(), ""
    for event in _events(body):
        if event.get("type") == "error":
            error = _error(event)
        else:
            building.take(event)
    return Answer(building.message(), error, building.complete)


def _events(body: bytes) -> Iterator[Mapping[str, Any]]:
    """The data of each event. One that is no JSON says nothing; a last one without an end was cut off."""
    # Split at line ends alone: JSON may hold characters that Python takes for line ends too.
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


class _Building:
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
            known = block.get("citations")
            block["citations"] = [*(known if isinstance(known, list) else ()), delta.get("citation")]
        elif kind in _APPENDED:
            name = _APPENDED[kind]
            block[name] = text(block.get(name)) + text(delta.get(name))

    def _change(self, event: Mapping[str, Any]) -> None:
        if self._message is None:
            return
        told = {name: value for name, value in event.items() if name not in ("type", "delta", "usage")}
        self._message |= told | {
            name: value for name, value in mapping(event.get("delta")).items() if value is not None
        }
        usage = {name: value for name, value in mapping(event.get("usage")).items() if value is not None}
        self._message["usage"] = {**mapping(self._message.get("usage")), **usage}

    def message(self) -> Mapping[str, Any] | None:
        if self._message is None:
            return None
        for index, pieces in self._inputs.items():
            self._blocks[index]["input"] = _input("".join(pieces))
        return {**self._message, "content": [block for _, block in sorted(self._blocks.items())]}


def _input(written: str) -> Any:
    """What a tool is called with; a call that was cut off keeps what arrived of it, as text."""
    try:
        return loads(written) if written.strip() else {}
    except (ValueError, RecursionError):
        return written
