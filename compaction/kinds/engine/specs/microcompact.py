"""Microcompact: old tool results go, by the clock, from the cache, or as the API would do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.spec import KindSpec, Mode
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.microcompact.api_edits import ClearToolUsesConfig, clear_tool_uses
from compaction.mechanisms.engine.microcompact.cached import CachedConfig, cached_microcompact
from compaction.mechanisms.engine.microcompact.forecast import forecast_clear_tool_uses
from compaction.mechanisms.engine.microcompact.timed import TimedConfig, timed_microcompact
from compaction.mechanisms.engine.report import Report


def _apply(job: Job, config: TimedConfig | CachedConfig | ClearToolUsesConfig) -> CompactionResult:
    if isinstance(config, TimedConfig):
        outcome = timed_microcompact(job.messages, config, now=job.now, counter=job.counter)
        records = (_record(job, outcome.report),) if outcome.report.applied else ()
        return job.report(outcome, records)
    if isinstance(config, CachedConfig):
        deletion = cached_microcompact(job.messages, config, counter=job.counter)
        why = f"{deletion.report.why} The array itself keeps them: a client that resumes brings them back."
        applied = job.report(deletion)
        return replace(applied, cache_edits=deletion.cache_edits, why=why) if applied.done else applied
    tools = {str(block.get("name")) for message in job.messages for block in message.content if "input" in block}
    edit = clear_tool_uses(config, sorted(tools))
    return job.report(forecast_clear_tool_uses(job.messages, edit, counter=job.counter))


def _record(job: Job, report: Report) -> Mapping[str, Any]:
    tools = [change.tool_use_id for change in report.changes]
    return {
        "type": "system",
        "subtype": "microcompact_boundary",
        "content": "Context microcompacted",
        "level": "info",
        "uuid": derived_id("microcompact", *tools),
        "sessionId": job.session_id,
        "microcompactMetadata": {
            "trigger": "manual",
            "preTokens": report.tokens_before,
            "tokensSaved": report.tokens_before - report.tokens_after,
            "compactedToolIds": tools,
            "clearedAttachmentUUIDs": [],
        },
    }


MICROCOMPACT = KindSpec(
    name="microcompact",
    title="Microcompact",
    goes="Old results of tools that can be run again.",
    lost="Their text; the agent can look again.",
    apply=_apply,
    modes_title="Who clears",
    modes=(
        Mode(
            "time",
            "The client clears them, as it does by itself after a pause of an hour.",
            TimedConfig(enabled=True, gap_minutes=0),
        ),
        Mode(
            "cached",
            "They are deleted from the server's cache; the messages stay as they are, and so does an export.",
            CachedConfig(),
        ),
        Mode("api", "A forecast of what the API's own clear_tool_uses would do.", ClearToolUsesConfig()),
    ),
    first_fields=("keep", "trigger", "target", "exclude_tools"),
    hidden_fields=("enabled",),
    keeps_thinking=lambda job, config: isinstance(config, ClearToolUsesConfig),
)
