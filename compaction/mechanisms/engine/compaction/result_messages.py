"""What is left after a compaction, put together: boundary, summary, kept messages, attachments, what hooks said.

Hooks act on the world outside, so they run only once it is clear that the compaction will be made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.attachments import (
    AttachmentConfig,
    Attachments,
    attach,
    hook_messages,
)
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
from compaction.mechanisms.engine.guards.inflation import explain_inflation
from compaction.mechanisms.engine.report import (
    Change,
    ChangeKind,
    Outcome,
    Report,
)
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
    """Sentences for the report: of a message that goes, and"""
    why_added: str
    """of the summary."""
    remarks: tuple[str, ...] = ()
    direction: Direction | None = None
    requests: int = 0
    threshold: int | None = None
    """What is left has to be smaller than this, and than what was there."""


def apply_draft(
    messages: Sequence[Message], draft: CompactionDraft, occasion: Occasion, attachments: AttachmentConfig
) -> Outcome[Attempt]:
    """The compacted view, or the old one and why it stays."""
    counter, owner = occasion.counter, derive_boundary_id(messages)
    covered, kept = _split(messages, draft.cut)
    more = attach(
        covered,
        kept,
        occasion.surroundings,
        attachments,
        read_file=occasion.read_file,
        owner=owner,
        counter=counter,
        now=occasion.now,
    )
    before = estimate(messages, counter)
    compaction = _build(messages, draft, occasion, more.messages)
    refused = _reason_to_refuse(before, compaction, draft)
    said: tuple[Message, ...] = ()
    if not refused:
        texts = [*occasion.hooks.session_start(), *occasion.hooks.post_compact(occasion.trigger, draft.summary)]
        said = hook_messages(texts, owner, occasion.now)
        if said:
            compaction = _build(messages, draft, occasion, (*more.messages, *said))
            refused = _reason_to_refuse(before, compaction, draft)
    if refused:
        failed = Attempt(failed=draft.requests > 0, requests=draft.requests)
        return Outcome(messages, Report(draft.mechanism, False, refused, before, before), failed)
    report = _report(messages, draft, compaction, more, said, occasion)
    return Outcome(
        compacted_view(messages, draft.cut, compaction), report, Attempt(compaction, requests=draft.requests)
    )


def _split(messages: Sequence[Message], cut: Cut) -> tuple[Sequence[Message], Sequence[Message]]:
    return messages[cut.start : cut.stop], [*messages[: cut.start], *messages[cut.stop :]]


def _build(
    messages: Sequence[Message], draft: CompactionDraft, occasion: Occasion, added: Sequence[Message]
) -> Compaction:
    _, kept = _split(messages, draft.cut)
    text = continuation_text(
        draft.summary,
        transcript_path=occasion.transcript_path,
        trigger=occasion.trigger,
        kept=any(message.content for message in kept),
        above=draft.direction is Direction.FROM,
    )
    return build_compaction(
        messages,
        draft.cut,
        way=draft.way,
        trigger=occasion.trigger,
        text=text,
        added=added,
        counter=occasion.counter,
        now=occasion.now,
        direction=draft.direction,
    )


def _reason_to_refuse(before: int, compaction: Compaction, draft: CompactionDraft) -> str:
    after = compaction.boundary.post_tokens or 0
    if (larger := explain_inflation(before, after)) is not None:
        return larger
    if draft.threshold is not None and after >= draft.threshold:
        return f"What would be left has {after:,} tokens, and the threshold is {draft.threshold:,}."
    return ""


def _report(
    messages: Sequence[Message],
    draft: CompactionDraft,
    compaction: Compaction,
    more: Attachments,
    said: Sequence[Message],
    occasion: Occasion,
) -> Report:
    counter, summary = occasion.counter, compaction.summary
    covered, kept = _split(messages, draft.cut)
    removed = [message for message in covered if message.content]
    keeping = sum(1 for message in kept if message.content)
    changes = [
        *(Change(ChangeKind.REMOVED, one.uuid, counter(one.content), 0, draft.why_removed) for one in removed),
        Change(ChangeKind.ADDED, summary.uuid, 0, counter(summary.content), draft.why_added),
        *more.changes,
        *(Change(ChangeKind.ADDED, one.uuid, 0, counter(one.content), "A hook said it.") for one in said),
    ]
    sentences = "".join(f" {remark[0].upper()}{remark[1:]}." for remark in (*draft.remarks, *more.remarks))
    return Report(
        draft.mechanism,
        True,
        f"A summary replaces {len(removed)} messages; {keeping} are kept.{sentences}",
        estimate(messages, counter),
        compaction.boundary.post_tokens or 0,
        tuple(changes),
    )
