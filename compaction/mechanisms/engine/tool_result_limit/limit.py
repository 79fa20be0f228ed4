"""The result budget: a tool result that is too large goes to a file, and its message keeps a preview.

A decision is made once, when a result is first seen, and kept: a result that was sent in full stays in full, and one
that was replaced gets the same bytes again. Anything else would change a prefix that is in the prompt cache.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar

from compaction.mechanisms.engine.conversation.calls import (
    Call,
    Result,
    calls_of,
    replace_text,
    result_text,
    results_of,
)
from compaction.mechanisms.engine.conversation.edits import BlockPosition, replace_blocks
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.setting_field import setting
from compaction.mechanisms.engine.tool_result_limit.replacements import ContentReplacementState
from sessions.imports.engine.scan.content import PERSISTED_TAG
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Block, Message
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

__all__ = [
    "BudgetConfig",
    "BudgetOutcome",
    "ContentReplacementState",
    "PersistedResult",
    "limit_tool_results",
    "result_path",
]

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_LARGEST_PREVIEW = 50_000
"""A longer text only begins like a preview: it is the output of a command that showed one."""


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    TITLE: ClassVar[str] = "Result budget"

    enabled: bool = setting(True, "Whether it is done at all.")
    per_result: int = setting(50_000, "Characters of one result; a longer one goes.", label="One result")
    per_message: int = setting(
        200_000, "Characters of all results of one message; beyond, the largest go.", label="All results of a message"
    )
    preview: int = setting(2_048, "Bytes that stay of a text that goes.", label="Preview that stays")
    per_tool: Mapping[str, int | None] = field(
        default_factory=dict, metadata={"help": "Limits of their own for some tools.", "label": "Limits by tool"}
    )
    """Limits for single tools instead of `per_result`; None: never replaced for its size alone."""
    path: str = "tool-results/{tool_use_id}.txt"
    """Where the caller writes the whole text."""

    def limit(self, tool: str) -> int | None:
        return self.per_tool.get(tool, self.per_result)


@dataclass(frozen=True, slots=True)
class PersistedResult:
    """The whole text of a result, for the caller to write to a file."""

    tool_use_id: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class BudgetOutcome(Outcome[ContentReplacementState]):
    persisted: tuple[PersistedResult, ...]
    """What was decided in this call. Each text has to be written before the messages are sent."""


def limit_tool_results(
    messages: Sequence[Message],
    config: BudgetConfig | None = None,
    state: ContentReplacementState | None = None,
    *,
    counter: TokenCounter = estimate_blocks,
) -> BudgetOutcome:
    """Repeats earlier replacements, then decides about new results."""
    config, state = config or BudgetConfig(), state or ContentReplacementState()
    before = estimate(messages, counter)
    if not config.enabled:
        return BudgetOutcome(
            messages, Report("budget", False, "The budget is switched off.", before, before), state, ()
        )
    calls = calls_of(messages)
    results = list(results_of(messages))
    decided = _decide(results, _user_message_numbers(messages), calls, config, state)
    replacements = {
        **state.replacements,
        **{entry.tool_use_id: _replacement(entry, config) for entry, _ in decided.values()},
    }
    changed: dict[BlockPosition, Block] = {}
    changes: list[Change] = []
    for result in results:
        text = replacements.get(result.tool_use_id)
        if text is None:
            continue
        block = replace_text(result.block, text)
        why = decided[result.tool_use_id][1] if result.tool_use_id in decided else "It was replaced in an earlier call."
        changed[result.message_index, result.block_index] = block
        changes.append(
            Change(
                ChangeKind.REPLACED,
                messages[result.message_index].uuid,
                counter((result.block,)),
                counter((block,)),
                why,
                result.tool_use_id,
            )
        )
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    report = Report("budget", bool(changes), _why(len(decided), len(changes)), before, after, tuple(changes))
    seen_ids = state.seen | {result.tool_use_id for result in results}
    return BudgetOutcome(
        replace_blocks(messages, changed),
        report,
        ContentReplacementState(replacements, seen_ids),
        tuple(persisted for persisted, _ in decided.values()),
    )


def result_path(tool_use_id: str, config: BudgetConfig) -> str:
    """Ids come from transcripts, so one that is not a plain name is turned into one, and the path cannot lead
    elsewhere."""
    name = _UNSAFE.sub("_", tool_use_id)[:100]
    if name != tool_use_id:
        name += "-" + blake2b(tool_use_id.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return config.path.replace("{tool_use_id}", name)


def _user_message_numbers(messages: Sequence[Message]) -> list[int]:
    """The number of the user message that each message becomes part of in the request: results are one until there is
    a new answer, however many records they are, and so are those of neighbouring answers."""
    numbers: list[int] = []
    number, response, answered = 0, "", True
    for message in messages:
        if message.role == "assistant" and message.content and (not response or message.message_id != response):
            number += not answered
            response, answered = message.message_id, True
        elif message.role == "user" and message.content:
            answered = False
        numbers.append(number)
    return numbers


def _decide(
    results: Sequence[Result],
    arrivals: Sequence[int],
    calls: Mapping[str, Call],
    config: BudgetConfig,
    state: ContentReplacementState,
) -> dict[str, tuple[PersistedResult, str]]:
    decided: dict[str, tuple[PersistedResult, str]] = {}
    groups: dict[int, list[tuple[Result, str]]] = {}
    sizes: dict[int, int] = {}
    for result in results:
        tool, call = result.tool_use_id, calls.get(result.tool_use_id)
        group = arrivals[result.message_index]
        earlier_text = state.replacements.get(tool)
        text = result_text(result.block) if earlier_text is None else earlier_text
        if earlier_text is None and tool not in state.seen and tool not in decided:
            limit = config.limit(call.name if call else "")
            if limit is not None and len(text) > limit and _gets_smaller(tool, text, config):
                decided[tool] = (
                    PersistedResult(tool, result_path(tool, config), text),
                    f"{_name(call)} returned {len(text):,} characters; one result may have {limit:,}.",
                )
                text = _replacement(decided[tool][0], config)
            else:
                groups.setdefault(group, []).append((result, text))
        sizes[group] = sizes.get(group, 0) + len(text)
    for group, fresh in groups.items():
        _replace_largest(fresh, sizes[group], calls, config, decided)
    return decided


def _replace_largest(
    fresh: list[tuple[Result, str]],
    size: int,
    calls: Mapping[str, Call],
    config: BudgetConfig,
    decided: dict[str, tuple[PersistedResult, str]],
) -> None:
    """Replaces the largest results, one by one, until the message is within its budget."""
    total = size
    for result, text in sorted(fresh, key=lambda entry: -len(entry[1])):
        if size <= config.per_message:
            return
        tool = result.tool_use_id
        if not _gets_smaller(tool, text, config):
            continue
        persisted = PersistedResult(tool, result_path(tool, config), text)
        size += len(_replacement(persisted, config)) - len(text)
        decided[tool] = (
            persisted,
            f"The results of one message had {total:,} characters, more than {config.per_message:,}; "
            f"that of {_name(calls.get(tool))} with {len(text):,} was the largest left.",
        )


def _gets_smaller(tool: str, text: str, config: BudgetConfig) -> bool:
    if text.startswith(PERSISTED_TAG) and len(text) <= _LARGEST_PREVIEW:  # the client itself moved it to a file
        return False
    return len(_replacement(PersistedResult(tool, result_path(tool, config), text), config)) < len(text)


def _replacement(persisted: PersistedResult, config: BudgetConfig) -> str:
    text = persisted.text
    beginning = text[: config.preview].encode("utf-8", "surrogatepass")[: config.preview].decode("utf-8", "ignore")
    return (
        f"{PERSISTED_TAG}\nThis output is too large ({len(text):,} characters). "
        f"Full output saved to: {persisted.path}\n\n"
        f"Preview (first {_kilobytes(config.preview)}):\n{beginning}\n...\n</persisted-output>"
    )


def _kilobytes(size: int) -> str:
    return f"{size // 1024} KB" if size % 1024 == 0 and size else f"{size:,} bytes"


def _name(call: Call | None) -> str:
    return call.name if call else "An unknown tool"


def _why(new: int, replaced: int) -> str:
    if not replaced:
        return "Every result is inside its budget."
    earlier = replaced - new
    earlier_note = f" {earlier} of them in an earlier call." if earlier else ""
    return f"{plural(replaced, 'result was', 'results were')} replaced by a preview.{earlier_note}"
