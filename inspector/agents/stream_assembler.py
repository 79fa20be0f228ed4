"""Reads a streamed answer, and reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.agents.errors import CutMidStreamError, PromptTooLongError, RefusedError
from inspector.agents.model import BlockStarted, Json, Progress, Reply, TextArrived
from sessions.transcripts.engine.messages.stream import MessageBuilder
from sessions.usage.engine.usage import Usage


class StreamAssembler:
    """Takes the decoded events of one attempt in order."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._builder = MessageBuilder()

    @property
    def finished(self) -> bool:
        return self._builder.complete

    @property
    def usage(self) -> Usage | None:
        """What was billed so far, as far as is known."""
        return _billed_usage(self._builder.usage) if self._builder.usage else None

    def take(self, event: Any) -> None:
        try:
            self._builder.take(event)
            self._report_progress(event)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CutMidStreamError("The answer is not in the form of the API.", usage=self.usage) from error

    def _report_progress(self, event: Json) -> None:
        text = None
        if event["type"] == "content_block_start":
            block = event["content_block"]
            self._report(BlockStarted(str(block["type"]), str(block.get("name", ""))))
            text = block.get("text") if block["type"] == "text" else None
        elif event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta":
            text = event["delta"]["text"]
        if text:
            self._report(TextArrived(text))

    def reply(self, *, request_id: str | None, attempts: int) -> Reply:
        """The answer; raises if it cannot be used."""
        message = self._builder.message()
        if message is None or not self.finished:
            raise CutMidStreamError(request_id=request_id, usage=self.usage)
        # An answer that reached its limit may end in the middle of a call, which is then dropped.
        blocks = [block for block in message["content"] if not isinstance(block.get("input"), str)]
        if len(blocks) < len(message["content"]) and message.get("stop_reason") != "max_tokens":
            raise CutMidStreamError("The answer is not in the form of the API.", usage=self.usage)
        return read_reply({**message, "content": blocks}, request_id=request_id, attempts=attempts)


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
    """Summed over its iterations: a compaction by the API is in there and nowhere else."""
    iterations = usage.get("iterations")
    samplings = [part for part in iterations if isinstance(part, dict)] if isinstance(iterations, list) else []
    return Usage.sum(Usage.from_raw(sampling) or Usage() for sampling in samplings or [usage])
