"""Microcompact on demand: by the clock, in the cache, or as the API would do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compaction.kinds.engine.kind import Applied
from compaction.kinds.engine.moment import Moment
from compaction.mechanisms.engine.identity import derived_id
from compaction.mechanisms.engine.microcompact.api_edits import ClearToolUsesConfig, clear_tool_uses
from compaction.mechanisms.engine.microcompact.cached import CachedConfig, cached_microcompact
from compaction.mechanisms.engine.microcompact.forecast import forecast_clear_tool_uses
from compaction.mechanisms.engine.microcompact.timed import TimedConfig, timed_microcompact
from compaction.mechanisms.engine.report import Report


def microcompacted(moment: Moment, config: TimedConfig | CachedConfig | ClearToolUsesConfig) -> Applied:
    if isinstance(config, TimedConfig):
        done = timed_microcompact(moment.messages, config, now=moment.now, counter=moment.counter)
        records = (_record(moment, done.report),) if done.report.applied else ()
        return moment.simple(done, records)
    if isinstance(config, CachedConfig):
        deleted = cached_microcompact(moment.messages, config, counter=moment.counter)
        why = f"{deleted.report.why} The array itself keeps them: a client that resumes brings them back."
        made = moment.simple(deleted)
        return replace(made, cache_edits=deleted.cache_edits, why=why) if made.done else made
    tools = sorted(
        {str(block.get("name")) for message in moment.messages for block in message.content if "input" in block}
    )
    edit = clear_tool_uses(config, tools)
    return moment.simple(forecast_clear_tool_uses(moment.messages, edit, counter=moment.counter))


def _record(moment: Moment, report: Report) -> Mapping[str, Any]:
    tools = [change.tool_use_id for change in report.changes]
    return {
        "type": "system",
        "subtype": "microcompact_boundary",
        "content": "Context microcompacted",
        "level": "info",
        "uuid": derived_id("microcompact", *tools),
        "sessionId": moment.session_id,
        "microcompactMetadata": {
            "trigger": "manual",
            "preTokens": report.tokens_before,
            "tokensSaved": report.tokens_before - report.tokens_after,
            "compactedToolIds": tools,
            "clearedAttachmentUUIDs": [],
        },
    }
