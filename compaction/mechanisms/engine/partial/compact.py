"""Partial compact: a person points at a message, and what comes before it or after it is summarised.

From a pivot on, the kept messages come first and their cache survives. Up to a pivot, the summary comes first: what
follows is kept word for word, but has to be cached again.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.compaction.boundary import Direction, index_after_boundary
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import CompactionMethod, Cut
from compaction.mechanisms.engine.compaction.result_messages import CompactionDraft
from compaction.mechanisms.engine.full.compact import apply_reply, decline
from compaction.mechanisms.engine.full.media import any_thinking
from compaction.mechanisms.engine.full.prompt import Variant, compaction_prompt
from compaction.mechanisms.engine.full.reply import FullConfig, obtain_reply
from compaction.mechanisms.engine.full.request import Summarise
from compaction.mechanisms.engine.full.standing_instructions import compact_headings, standing_remark
from compaction.mechanisms.engine.partial.pivots import find_pivots
from compaction.mechanisms.engine.report import Outcome
from sessions.transcripts.engine.messages import Message

MECHANISM = "partial compact"
VARIANTS = {Direction.FROM: Variant.FROM, Direction.UP_TO: Variant.UP_TO}


def partial_compact(
    messages: Sequence[Message],
    pivot: str,
    direction: Direction,
    summarise: Summarise,
    config: FullConfig | None = None,
    *,
    occasion: Occasion | None = None,
    attachments: AttachmentConfig | None = None,
) -> Outcome[Attempt]:
    """Summarises everything `from` the pivot on, or everything `up_to` it. The pivot itself belongs to what follows."""
    config, occasion = config or FullConfig(), occasion or Occasion()
    if not config.enabled:
        return decline(MECHANISM, messages, occasion, "Full compact is switched off.")
    pivots = find_pivots(messages, direction, occasion.model)
    if obstacle := pivots.obstacle(pivot):
        return decline(MECHANISM, messages, occasion, f"The conversation cannot be cut at that message: {obstacle}.")
    place = pivots.legal[pivot]
    standing = compact_headings(messages)
    prompt = compaction_prompt(
        VARIANTS[direction],
        instructions=config.instructions,
        hook_instructions=occasion.hooks.pre_compact(occasion.trigger, config.instructions),
        begins=_words(messages[place]) if direction is Direction.FROM else "",
        standing=standing,
    )
    floor = index_after_boundary(messages)
    if direction is Direction.FROM:
        sent, cut = messages[floor:], Cut(place, len(messages))
    else:
        sent, cut = messages[floor:place], Cut(0, place)
    begins_at = pivot if direction is Direction.FROM else ""
    variant = VARIANTS[direction]
    reply = obtain_reply(
        sent, prompt, summarise, config, occasion.counter, occasion.model, variant, begins_at, any_thinking(messages)
    )
    draft = CompactionDraft(
        MECHANISM,
        CompactionMethod.PARTIAL,
        cut,
        reply.summary,
        "The summary stands for it.",
        "The summary.",
        standing_remark(standing),
        direction=direction,
    )
    return apply_reply(messages, draft, reply, occasion, attachments or AttachmentConfig())


def _words(message: Message) -> str:
    return " ".join(str(block.get("text")) for block in message.content if block.get("type") == "text")
