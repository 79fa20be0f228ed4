"""The nudge: reminds the model that it may snip, after so much growth without a snip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid5

from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.snip.removal import SnipConfig
from compaction.mechanisms.engine.snip.state import SnipState
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

_NAMESPACE = UUID("0c6b6a7e-97a7-4f0a-8a53-5a0b8a2c1d90")
_TEXT = (
    "<system-reminder>\nThe conversation has grown by about {growth:,} tokens since anything was taken out of it. If "
    "a turn no longer matters for the work at hand, such as a search that led nowhere, name its [id:...] to the snip "
    "tool. Otherwise carry on, and do not mention this note.\n</system-reminder>"
)


def nudge(
    messages: Sequence[Message],
    config: SnipConfig | None = None,
    state: SnipState | None = None,
    *,
    tokens: int | None = None,
    counter: TokenCounter = estimate_blocks,
) -> Outcome[SnipState]:
    """Adds the reminder at the end when it is due; `tokens` is the size of the context, if the caller knows it.

    The caller has to keep the reminder, because the next request must begin with the same bytes.
    """
    config, state = config or SnipConfig(), state or SnipState()
    before = estimate(messages, counter)
    size = before if tokens is None else tokens
    if not config.enabled:
        return Outcome(messages, Report("nudge", False, "Snip is switched off.", before, before), state)
    baseline = size if state.baseline is None else min(state.baseline, size)
    growth = size - baseline
    if growth < config.nudge_every:
        why = f"The context grew by ~{growth:,} tokens since; a nudge is due at {config.nudge_every:,}."
        return Outcome(messages, Report("nudge", False, why, before, before), replace(state, baseline=baseline))
    if messages and any(block.get("type") == "tool_use" for block in messages[-1].content):
        why = "A nudge is due, but nothing may come between a call and its result."
        return Outcome(messages, Report("nudge", False, why, before, before), replace(state, baseline=baseline))
    last = messages[-1].uuid if messages else ""
    text = text_block(_TEXT.format(growth=growth))
    added = Message("user", (text,), MessageKind.INJECTED, str(uuid5(_NAMESPACE, f"{last} {size}")))
    cost = counter(added.content)
    why = f"The context grew by ~{growth:,} tokens without a snip."
    report = Report("nudge", True, why, before, before + cost, (Change(ChangeKind.ADDED, added.uuid, 0, cost, why),))
    return Outcome([*messages, added], report, replace(state, baseline=size))
