"""Full: one summary replaces everything."""

from __future__ import annotations

from dataclasses import dataclass, field

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.spec import Instructions, KindSpec
from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.mechanical import MechanicalConfig

SUMMARY_INSTRUCTIONS = Instructions(
    "What the summary should observe",
    "Such as: keep every SQL statement word for word",
    "Only a model can follow it: a mechanical summary judges nothing.",
)
SUMMARY_FIELDS = (
    "attachments.rules",
    "attachments.files.most",
    "attachments.files.tokens_each",
    "mechanical.most_characters",
)


@dataclass(frozen=True, slots=True)
class SummarySettings:
    full: FullConfig = field(default_factory=FullConfig)
    attachments: AttachmentConfig = field(default_factory=AttachmentConfig)
    mechanical: MechanicalConfig = field(default_factory=MechanicalConfig)


def _apply(job: Job, config: SummarySettings) -> CompactionResult:
    outcome = full_compact(
        job.messages,
        job.summariser(config.mechanical),
        job.add_instructions(config.full),
        occasion=job.occasion(Trigger.MANUAL),
        attachments=job.limit_attachments(config.attachments),
    )
    return job.report_summary(outcome, mechanical=job.is_mechanical)


FULL = KindSpec(
    name="full",
    title="Full",
    removes="Everything. One summary stands in for it.",
    loses="What the summary does not say.",
    apply=_apply,
    config=SummarySettings(),
    first_fields=SUMMARY_FIELDS,
    hidden_fields=("full.enabled", "full.instructions"),
    instructions=SUMMARY_INSTRUCTIONS,
    summarises=True,
    can_fork=True,
    runs_hooks=True,
)
