"""Assembles a streamed message from its events. Blocks of unknown types are kept as they are."""

from __future__ import annotations

import json
from operator import index
from typing import Any

Json = dict[str, Any]

_APPENDED = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
    "input_json_delta": "partial_json",
}


class MessageBuilder:
    """Takes the decoded events of one answer in order."""

    def __init__(self) -> None:
        self._message: Json | None = None
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, list[str]] = {}
        self.complete = False

    def take(self, event: Any) -> None:
        """Raises AttributeError, KeyError, TypeError or ValueError if the event does not have the form of the API."""
        kind = event["type"]
        if kind == "message_start":
            self._message = dict(event["message"])
        elif kind == "content_block_start":
            self._blocks[index(event["index"])] = dict(event["content_block"])
        elif kind == "content_block_delta":
            self._extend(event["index"], event["delta"])
        elif kind == "message_delta" and self._message is not None:
            changes = {name: value for name, value in event.items() if name not in ("type", "delta", "usage")}
            self._message |= changes | _without_nulls(event["delta"])
            # A later event repeats the counts at that time, but may omit some or send null.
            self._message["usage"] = self.usage | _without_nulls(event.get("usage") or {})
        elif kind == "message_stop":
            self.complete = True

    def _extend(self, number: int, delta: Json) -> None:
        block, kind = self._blocks[number], delta["type"]
        if kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        elif kind in _APPENDED and (piece := delta[_APPENDED[kind]]) is not None:
            if not isinstance(piece, str):
                raise TypeError(f"{kind} holds no text")
            if kind == "input_json_delta":
                self._inputs.setdefault(number, []).append(piece)
            else:
                block[_APPENDED[kind]] = (block.get(_APPENDED[kind]) or "") + piece

    @property
    def usage(self) -> Json:
        """The counts so far, as the API writes them."""
        usage = (self._message or {}).get("usage")
        return usage if isinstance(usage, dict) else {}

    def message(self) -> Json | None:
        """The message as the API returns it without streaming; None if no part of it arrived. An input that was cut off
        is text."""
        if self._message is None:
            return None
        for number, pieces in self._inputs.items():
            self._blocks[number]["input"] = _parse_input("".join(pieces))
        return {**self._message, "content": [block for _, block in sorted(self._blocks.items())]}


def _without_nulls(values: Json) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _parse_input(written: str) -> Any:
    try:
        return json.loads(written) if written.strip() else {}
    except (ValueError, RecursionError):
        return written
