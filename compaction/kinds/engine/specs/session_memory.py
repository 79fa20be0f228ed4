"""Session notes: the notes replace everything but the latest messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.spec import KindSpec
from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.compaction.boundary import Trigger, is_boundary
from compaction.mechanisms.engine.session_memory import SessionMemoryConfig, session_memory_compact
from sessions.transcripts.engine.messages import Message, MessageKind


@dataclass(frozen=True, slots=True)
class NotesSettings:
    notes: SessionMemoryConfig = field(default_factory=SessionMemoryConfig)
    attachments: AttachmentConfig = field(default_factory=AttachmentConfig)


def _apply(job: Job, config: NotesSettings) -> CompactionResult:
    outcome = session_memory_compact(
        _with_boundary(job.messages),
        job.effects.read_notes() if job.effects.read_notes is not None else None,
        config.notes,
        threshold=job.limits(config.attachments).threshold,
        occasion=job.occasion(Trigger.MANUAL),
        attachments=job.limit_attachments(config.attachments),
    )
    return job.report_summary(outcome, mechanical=False)


def _with_boundary(messages: Sequence[Message]) -> Sequence[Message]:
    """A context that begins with a summary begins at a boundary, which is not sent. The notes replace both."""
    if not messages or is_boundary(messages[0]) or messages[0].kind is not MessageKind.SUMMARY:
        return messages
    return [Message("system", (), MessageKind.SUMMARY, f"before {messages[0].uuid}"), *messages]


SESSION_MEMORY = KindSpec(
    name="session-memory",
    title="Session notes",
    removes="Everything but the latest messages. The agent's notes stand in for it.",
    loses="What the notes do not say.",
    apply=_apply,
    config=NotesSettings(),
    first_fields=("attachments.rules", "notes.keep_tokens", "notes.keep_text_messages", "notes.keep_most_tokens"),
    hidden_fields=("notes.enabled",),
    runs_hooks=True,
)
