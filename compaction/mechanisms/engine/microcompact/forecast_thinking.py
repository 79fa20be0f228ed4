"""What the API would do with `clear_thinking`: a forecast, like that of `clear_tool_uses`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from compaction.mechanisms.engine.conversation.kept_range import has_thinking
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import THINKING_TYPES, Message, replace_fields
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

_NAME = "clear_thinking"


def forecast_clear_thinking(
    messages: Sequence[Message], edit: Mapping[str, Any], *, counter: TokenCounter = estimate_blocks
) -> Outcome[None]:
    """`edit` as it would be sent."""
    before = estimate(messages, counter)
    keep = edit.get("keep")
    if not isinstance(keep, Mapping):
        why = "All thinking stays while the session is active."
        return Outcome(messages, Report(_NAME, False, why, before, before), None)
    heads = api_turns_of(messages).heads
    first_kept = heads[-keep["value"]] if len(heads) >= keep["value"] else 0
    edited, changes = list(messages), []
    for index, message in enumerate(messages[:first_kept]):
        if has_thinking(message):
            content = tuple(block for block in message.content if block.get("type") not in THINKING_TYPES)
            edited[index] = replace_fields(message, content=content)
            tokens = counter(message.content), counter(content)
            changes.append(Change(ChangeKind.REPLACED, message.uuid, *tokens, "The API would clear this thinking."))
    saved = sum(change.tokens_before - change.tokens_after for change in changes)
    stays = plural(keep["value"], "latest turn keeps its", "latest turns keep their")
    why = f"After the pause only the {stays} thinking: that of {plural(len(changes), 'answer')} would be cleared."
    report = Report(_NAME, bool(changes), why, before, before - saved, tuple(changes))
    return Outcome(edited if changes else messages, report, None)
