"""Full compact: a model writes a summary of everything. By the rules of newer clients the last answer stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.compaction.boundary import index_after_boundary
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import CompactionMethod, Cut
from compaction.mechanisms.engine.compaction.result_messages import CompactionDraft, apply_draft
from compaction.mechanisms.engine.conversation.kept_range import start_after_refusal, start_of_last_round
from compaction.mechanisms.engine.conversation.standing import is_standing
from compaction.mechanisms.engine.full.media import any_thinking
from compaction.mechanisms.engine.full.prompt import Variant, compaction_prompt
from compaction.mechanisms.engine.full.reply import FullConfig, Reply, obtain_reply
from compaction.mechanisms.engine.full.request import Summarise
from compaction.mechanisms.engine.full.standing_instructions import compact_headings, standing_remark
from compaction.mechanisms.engine.guards.quotes import check_quotes
from compaction.mechanisms.engine.report import Outcome, Report
from compaction.mechanisms.engine.rules import CompactionRules, rules_of
from sessions.transcripts.engine.messages import Message, text_block
from sessions.usage.engine.tokens import estimate

MECHANISM = "full compact"


def full_compact(
    messages: Sequence[Message],
    summarise: Summarise,
    config: FullConfig | None = None,
    *,
    occasion: Occasion | None = None,
    attachments: AttachmentConfig | None = None,
) -> Outcome[Attempt]:
    config, occasion = config or FullConfig(), occasion or Occasion()
    if not config.enabled:
        return decline(MECHANISM, messages, occasion, "Full compact is switched off.")
    attachments = attachments or AttachmentConfig()
    rules = rules_of(attachments.rules, occasion.client)
    end = _end_of_covered(messages, rules, config, occasion)
    recent = messages[index_after_boundary(messages) : end]
    if all(is_standing(message) or not message.content for message in recent):
        return decline(MECHANISM, messages, occasion, "There is nothing to summarise.")
    hooked = occasion.hooks.pre_compact(occasion.trigger, config.instructions)
    standing = compact_headings(recent)
    prompt = compaction_prompt(
        Variant.FULL, instructions=config.instructions, hook_instructions=hooked, standing=standing
    )
    reply = obtain_reply(
        recent, prompt, summarise, config, occasion.counter, occasion.model, thinks=any_thinking(messages)
    )
    draft = CompactionDraft(
        MECHANISM,
        CompactionMethod.FULL,
        Cut(0, end),
        reply.summary,
        "The summary stands for it.",
        "The summary.",
        standing_remark(standing),
    )
    return apply_reply(messages, draft, reply, occasion, attachments)


def _end_of_covered(messages: Sequence[Message], rules: CompactionRules, config: FullConfig, occasion: Occasion) -> int:
    """The index after the last message that is summarised."""
    if not rules.keeps_last_round:
        return len(messages)
    if occasion.refusal and rules.keeps_what_must_not_be_sent:
        instruction = text_block(compaction_prompt(Variant.FULL, instructions=config.instructions))
        size = occasion.counter((instruction,))
        return start_after_refusal(messages, occasion.counter, occasion.refusal, size, occasion.model)
    return start_of_last_round(messages, occasion.surroundings.process.error_at, occasion.model)


def apply_reply(
    messages: Sequence[Message], draft: CompactionDraft, reply: Reply, occasion: Occasion, attachments: AttachmentConfig
) -> Outcome[Attempt]:
    """Makes the compaction that a reply allows."""
    if reply.problem:
        failed = Attempt(failed=True, requests=reply.requests)
        return decline(draft.mechanism, messages, occasion, reply.problem, failed)
    quotes = check_quotes(reply.summary, messages[draft.cut.start : draft.cut.stop], occasion.whole).remark
    remarks = (*reply.remarks, *draft.remarks, *([quotes] if quotes else []))
    draft = replace(draft, remarks=remarks, requests=reply.requests)
    return apply_draft(messages, draft, occasion, attachments)


def decline(
    mechanism: str, messages: Sequence[Message], occasion: Occasion, why: str, attempt: Attempt | None = None
) -> Outcome[Attempt]:
    tokens = estimate(messages, occasion.counter)
    return Outcome(messages, Report(mechanism, False, why, tokens, tokens), attempt or Attempt())
