"""The measured sizes of a prompt before and after a compaction. Whether and how to compact is decided by the client's
own estimate, which the reports of the mechanisms give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.microcompact.clearable import clear_block
from sessions.context.engine import Context
from sessions.transcripts.engine.messages import Message, MessageKind, count_messages, replace_fields
from sessions.weights.engine import PromptSize, Weight
from sessions.weights.engine.message_weights import MessageWeights
from sessions.weights.engine.prompt_size import write_weight


@dataclass(frozen=True, slots=True)
class CompactionSizes:
    before: PromptSize
    after: PromptSize
    messages_before: int
    """Elements of the array that is sent."""
    messages_after: int
    summary: Weight | None = None
    """The message that stands for what was summarised."""

    def to_json(self) -> dict[str, Any]:
        summary = {} if self.summary is None else {"summary": write_weight(self.summary)}
        return {"before": self.before.to_json(), "after": self.after.to_json(), **summary}


def measure_sizes(
    context: Context, weights: MessageWeights, after: Sequence[Message], cache_edits: Iterable[Mapping[str, Any]] = ()
) -> CompactionSizes:
    """`weights`: those of the compacted context."""
    sent = delete_results(after, cache_edits)
    same = [message.content for message in sent] == [message.content for message in context.messages]
    size = weights.context if same else weights.size(sent)
    count = len(context.elements)
    kept = _uuids(after) == _uuids(context.messages)
    old = set(_uuids(context.messages))
    summaries = (item for item in sent if item.kind is MessageKind.SUMMARY and item.content and item.uuid not in old)
    summary = next(summaries, None)
    weight = None if summary is None else weights.message(summary)
    return CompactionSizes(weights.context, size, count, count if kept else count_messages(after), weight)


def _uuids(messages: Sequence[Message]) -> list[str]:
    return [message.uuid for message in messages if message.content]


def delete_results(messages: Sequence[Message], cache_edits: Iterable[Mapping[str, Any]]) -> Sequence[Message]:
    """The messages as the model sees them: without results that were deleted from its cache but are still in the
    array."""
    deleted = {edit.get("cache_reference") for edits in cache_edits for edit in edits.get("edits", ())}
    if not deleted:
        return messages
    return [
        replace_fields(
            message,
            content=tuple(
                clear_block(block) if block.get("tool_use_id") in deleted else block for block in message.content
            ),
        )
        for message in messages
    ]
