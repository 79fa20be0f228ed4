"""Microcompact: clears old tool results by the clock, from the cache, or as the API would do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.spec import KindSpec, Mode
from compaction.mechanisms.engine.full.media import any_thinking
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.microcompact.api_edits import ApiEditsConfig, context_management, required_betas
from compaction.mechanisms.engine.microcompact.cached import CachedConfig, cached_microcompact
from compaction.mechanisms.engine.microcompact.forecast import forecast_clear_tool_uses
from compaction.mechanisms.engine.microcompact.forecast_thinking import forecast_clear_thinking
from compaction.mechanisms.engine.microcompact.timed import TimedConfig, minutes_idle, timed_microcompact
from compaction.mechanisms.engine.report import Outcome, Report
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate


def _apply(job: Job, config: TimedConfig | CachedConfig | ApiEditsConfig) -> CompactionResult:
    if isinstance(config, TimedConfig):
        outcome = timed_microcompact(job.messages, config, now=job.now, counter=job.counter)
        records = (_record(job, outcome.report),) if outcome.report.applied else ()
        return job.report(outcome, records)
    if isinstance(config, CachedConfig):
        deletion = cached_microcompact(job.messages, config, counter=job.counter)
        why = f"{deletion.report.why} The array itself keeps them: a client that resumes brings them back."
        applied = job.report(deletion)
        beside = {"cache_edits": list(deletion.cache_edits)}
        return replace(applied, cache_edits=deletion.cache_edits, why=why, beside=beside) if applied.done else applied
    return _ask_api(job, config)


def _ask_api(job: Job, config: ApiEditsConfig) -> CompactionResult:
    """The edits that the API would be asked for, and a forecast of the effect of each."""
    if config.compact.enabled and config.compact.at_once:
        size = estimate(job.messages, job.counter)
        why = "The API would compact this very request, and nobody can tell what its summary would say."
        sent_along = {"compaction": {"type": "summarize"}, "betas": list(required_betas(None, on_demand=True))}
        report = Report("compaction", False, why, size, size)
        return CompactionResult(job.messages, job.messages, size, size, (report,), False, why=why, beside=sent_along)
    tools = {str(block.get("name")) for message in job.messages for block in message.content if "input" in block}
    idle = 60 * (minutes_idle(job.messages, job.now) or 0)
    management = context_management(config, tools=sorted(tools), thinking=any_thinking(job.messages), idle=idle)
    messages, reports = job.messages, []
    for edit in management["edits"] if management is not None else ():
        outcome = _forecast(messages, edit, job)
        messages = outcome.messages
        reports.append(outcome.report)
    if management is None:
        size = estimate(messages, job.counter)
        reports.append(Report("context_management", False, "Nothing is asked of the API.", size, size))
    return CompactionResult(
        job.messages,
        messages,
        reports[0].tokens_before,
        reports[-1].tokens_after,
        tuple(reports),
        any(report.applied for report in reports),
        why=" ".join(report.why for report in reports),
        beside={"context_management": management, "betas": list(required_betas(management))} if management else {},
    )


def _forecast(messages: Sequence[Message], edit: Mapping[str, Any], job: Job) -> Outcome[None]:
    if edit["type"].startswith("clear_thinking"):
        return forecast_clear_thinking(messages, edit, counter=job.counter)
    if edit["type"].startswith("clear_tool_uses"):
        return forecast_clear_tool_uses(messages, edit, counter=job.counter)
    size, starts_at = estimate(messages, job.counter), edit["trigger"]["value"]
    prompt = size + job.overhead
    why = (
        f"The prompt has ~{prompt:,} tokens; the API compacts from {starts_at:,} on."
        if prompt < starts_at
        else f"At ~{prompt:,} tokens the API would compact, and nobody can tell what its summary would say."
    )
    return Outcome(messages, Report(edit["type"], False, why, size, size), None)


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
    removes="Old results of tools that can be run again.",
    loses="Their text; the agent can look again.",
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
        Mode(
            "api",
            "The API, by its own context edits: what it would be asked for, and a forecast of what it would do.",
            ApiEditsConfig(),
        ),
    ),
    first_fields=(
        "keep",
        "trigger",
        "tool_uses.trigger",
        "tool_uses.target",
        "tool_uses.keep",
        "tool_uses.exclude_tools",
        "compact.enabled",
    ),
    hidden_fields=("enabled",),
)
