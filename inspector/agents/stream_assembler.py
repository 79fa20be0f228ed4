"""Assembles a streamed answer from its events. Blocks of unknown types are kept as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inspector.agents.errors import CutMidStreamError, PromptTooLongError, RefusedError
from inspector.agents.model import (
    BlockStarted,
    Json,
    Progress,
    Reply,
    TextArrived,
)
from inspector.agents.usage import Usage, iterations_of

_APPENDED = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}


class StreamAssembler:
    """Takes the decoded events of one attempt in order."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._message: Json = {}
        self._usage: Json = {}
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, list[str]] = {}
        self._torn: set[int] = set()
        self.finished = False

    @property
    def usage(self) -> Usage | None:
        """What was billed so far, as far as is known."""
        return _billed_usage(self._usage) if self._usage else None

    def take(self, event: Any) -> None:
        try:
            self._take(event)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise CutMidStreamError("The answer is not in the form of the API.", usage=self.usage) from error

    def _take(self, event: Json) -> None:
        kind = event["type"]
        if kind == "message_start":
            self._message = dict(event["message"])
            self._add_usage(self._message.get("usage"))
        elif kind == "content_block_start":
            self._begin(int(event["index"]), dict(event["content_block"]))
        elif kind == "content_block_delta":
            self._extend(event["index"], event["delta"])
        elif kind == "content_block_stop":
            self._end(event["index"])
        elif kind == "message_delta":
            self._message.update({key: value for key, value in event["delta"].items() if value is not None})
            self._add_usage(event.get("usage"))
        elif kind == "message_stop":
            self.finished = True

    def _add_usage(self, usage: Any) -> None:
        if isinstance(usage, dict):
            # A later event repeats the counts at that time, but may omit some or send null.
            self._usage.update({key: value for key, value in usage.items() if value is not None})

    def _begin(self, index: int, block: Json) -> None:
        self._blocks[index] = block
        self._report(BlockStarted(str(block["type"]), str(block.get("name", ""))))
        if block["type"] == "text" and block.get("text"):
            self._report(TextArrived(block["text"]))

    def _extend(self, index: int, delta: Json) -> None:
        block = self._blocks[index]
        kind = delta["type"]
        if kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(delta["partial_json"])
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        elif kind in _APPENDED:
            key = _APPENDED[kind]
            piece = delta[key]
            if piece is None:
                return
            block[key] = (block.get(key) or "") + piece
            if kind == "text_delta":
                self._report(TextArrived(piece))

    def _end(self, index: int) -> None:
        if index in self._inputs:
            written = "".join(self._inputs.pop(index))
            try:
                self._blocks[index]["input"] = json.loads(written) if written.strip() else {}
            except ValueError:
                self._torn.add(index)

    def reply(self, *, request_id: str | None, attempts: int) -> Reply:
        """The answer; raises if it cannot be used."""
        if not self.finished:
            raise CutMidStreamError(request_id=request_id, usage=self.usage)
        # An answer that reached its limit may end in the middle of a call, which is then dropped.
        if self._torn and self._message.get("stop_reason") != "max_tokens":
            raise CutMidStreamError("The answer is not in the form of the API.", usage=self.usage)
        content = [block for index, block in sorted(self._blocks.items()) if index not in self._torn]
        message = {**self._message, "content": content}
        return read_reply({**message, "usage": self._usage}, request_id=request_id, attempts=attempts)


def read_reply(message: Json, *, request_id: str | None, attempts: int) -> Reply:
    """Reads a message of the API, whether it was streamed or not."""
    content, usage = message.get("content"), message.get("usage") or {}
    if not isinstance(content, list) or not isinstance(usage, dict) or not all(map(_is_block, content)):
        raise CutMidStreamError("The answer is not in the form of the API.", request_id=request_id)
    billed, reason = _billed_usage(usage), message.get("stop_reason")
    if reason == "refusal":
        raise RefusedError(request_id=request_id, usage=billed)
    if reason == "model_context_window_exceeded":
        raise PromptTooLongError(
            "The model's context window was full before the answer was complete.", request_id=request_id, usage=billed
        )
    return Reply(
        content=tuple(content),
        stop_reason=reason,
        usage=billed,
        iterations=iterations_of(usage),
        model=str(message.get("model") or ""),
        message_id=message.get("id"),
        request_id=request_id,
        attempts=attempts,
    )


def _is_block(block: object) -> bool:
    """Whether the block has the fields that its readers rely on."""
    if not isinstance(block, dict):
        return False
    needed = {"text": ("text",), "tool_use": ("id", "name")}.get(str(block.get("type")), ())
    return all(isinstance(block.get(key), str) for key in needed)


def _billed_usage(usage: Json) -> Usage:
    return Usage.sum(iterations_of(usage)) if iterations_of(usage) else Usage.of(usage)
