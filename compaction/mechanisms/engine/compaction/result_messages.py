"""Assembles the view after a compaction: boundary, summary, kept messages, attachments, output of hooks.

Hooks have side effects, so they run only once it is certain that the compaction will be made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compaction.mechanisms.engine.attachments import AttachmentConfig, Attachments, Sources, attach, hook_messages
from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.compaction.continuation import continuation_text
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import (
    Compaction,
    CompactionMethod,
    Cut,
    build_compaction,
    compacted_view,
    derive_boundary_id,
)
from compaction.mechanisms.engine.guards.constraints import lost_rules, with_rules
from compaction.mechanisms.engine.guards.inflation import explain_inflation
from compaction.mechanisms.engine.mechanical.statements import LABEL
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.rules import CompactionRules, rules_of, suit_model
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate


@dataclass(frozen=True, slots=True)
class CompactionDraft:
    """A compaction that is about to be made."""

    mechanism: str
    way: CompactionMethod
    cut: Cut
    summary: str
    why_removed: str
    """A sentence for the report, about each message that goes."""
    why_added: str
    """The same about the summary."""
    remarks: tuple[str, ...] = ()
    direction: Direction | None = None
    requests: int = 0
    threshold: int | None = None
    """The result has to be smaller than this, and smaller than before."""


def apply_draft(
    messages: Sequence[Message], draft: CompactionDraft, occasion: Occasion, attachments: AttachmentConfig
) -> Outcome[Attempt]:
    """The compacted view, or the old one and the reason for keeping it."""
    counter, owner = occasion.counter, derive_boundary_id(messages)
    draft = _carry_rules(messages[draft.cut.start : draft.cut.stop], draft)
    rules = suit_model(rules_of(attachments.rules, occasion.client), occasion.model)
    attachment = attach(
        messages,
        slice(draft.cut.start, draft.cut.stop),
        attachments,
        Sources(
            occasion.surroundings,
            occasion.read_file,
            occasion.records,
            occasion.pinned,
            rules,
            occasion.pinned_elsewhere,
        ),
        owner=owner,
        counter=counter,
        now=occasion.now,
    )
    before = estimate(messages, counter)
    compaction = _build(messages, draft, occasion, attachment.messages)
    refusal = _reason_to_refuse(before, compaction, draft, rules)
    from_hooks: tuple[Message, ...] = ()
    if not refusal:
        texts = [*occasion.hooks.session_start(), *occasion.hooks.post_compact(occasion.trigger, draft.summary)]
        from_hooks = hook_messages(texts, owner, occasion.now)
        if from_hooks:
            compaction = _build(messages, draft, occasion, (*attachment.messages, *from_hooks))
            refusal = _reason_to_refuse(before, compaction, draft, rules)
    if refusal:
        failed = Attempt(failed=draft.requests > 0, requests=draft.requests)
        return Outcome(messages, Report(draft.mechanism, False, refusal, before, before), failed)
    report = _report(messages, draft, compaction, attachment, from_hooks, occasion, rules)
    return Outcome(
        compacted_view(messages, draft.cut, compaction), report, Attempt(compaction, requests=draft.requests)
    )


def _carry_rules(covered: Sequence[Message], draft: CompactionDraft) -> CompactionDraft:
    """A mechanical summary already quotes the rules of earlier ones, within its limit."""
    rules = [] if draft.summary.startswith(LABEL) else lost_rules(draft.summary, covered)
    if not rules:
        return draft
    carried = f"{plural(len(rules), 'rule')} of an earlier summary would have been lost, and stand behind the new one"
    return replace(draft, summary=with_rules(draft.summary, rules), remarks=(*draft.remarks, carried))


def _split(messages: Sequence[Message], cut: Cut) -> tuple[Sequence[Message], Sequence[Message]]:
    return messages[cut.start : cut.stop], [*messages[: cut.start], *messages[cut.stop :]]


def _build(
    messages: Sequence[Message], draft: CompactionDraft, occasion: Occasion, added: Sequence[Message]
) -> Compaction:
    _, kept_messages = _split(messages, draft.cut)
    text = continuation_text(
        draft.summary,
        transcript_path=occasion.transcript_path,
        trigger=occasion.trigger,
        has_kept=any(message.content for message in kept_messages),
        kept_first=draft.direction is Direction.FROM,
        autonomous=occasion.autonomous,
    )
    return build_compaction(
        messages,
        draft.cut,
        way=draft.way,
        trigger=occasion.trigger,
        text=text,
        summary=draft.summary,
        added=added,
        counter=occasion.counter,
        now=occasion.now,
        direction=draft.direction,
    )


def _reason_to_refuse(before: int, compaction: Compaction, draft: CompactionDraft, rules: CompactionRules) -> str:
    after = compaction.boundary.post_tokens or 0
    if not rules.may_grow and (larger := explain_inflation(before, after)) is not None:
        return larger
    if draft.threshold is not None and after >= draft.threshold:
        return f"What would be left has ~{after:,} tokens, and the threshold is {draft.threshold:,}."
    return ""


def _report(
    messages: Sequence[Message],
    draft: CompactionDraft,
    compaction: Compaction,
    attached: Attachments,
    from_hooks: Sequence[Message],
    occasion: Occasion,
    rules: CompactionRules,
) -> Report:
    counter, summary = occasion.counter, compaction.summary
    covered, kept_messages = _split(messages, draft.cut)
    anew = {message.uuid for message in attached.messages}
    removed = [message for message in covered if message.content and message.uuid not in anew]
    kept_count = sum(1 for message in kept_messages if message.content)
    changes = [
        *(Change(ChangeKind.REMOVED, item.uuid, counter(item.content), 0, draft.why_removed) for item in removed),
        Change(ChangeKind.ADDED, summary.uuid, 0, counter(summary.content), draft.why_added),
        *attached.changes,
        *(Change(ChangeKind.ADDED, item.uuid, 0, counter(item.content), "A hook said it.") for item in from_hooks),
    ]
    before, after = estimate(messages, counter), compaction.boundary.post_tokens or 0
    grows = "by the client's own estimate the result is no smaller, and this version keeps it all the same"
    remarks = (
        f"it follows the rules of {rules.name}",
        *draft.remarks,
        *attached.remarks,
        *([grows] if after >= before else []),
    )
    kept = plural(kept_count, "record is", "records are") if kept_count else "none is"
    sentences = "".join(f" {remark[0].upper()}{remark[1:]}." for remark in remarks)
    return Report(
        draft.mechanism,
        True,
        f"A summary replaces {plural(len(removed), 'record')}; {kept} kept.{sentences}",
        before,
        after,
        tuple(changes),
    )
