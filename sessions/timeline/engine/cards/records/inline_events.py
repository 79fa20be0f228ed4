"""Chips for records outside the conversation: attachments, hooks, progress, state."""

from __future__ import annotations

from typing import Any

from sessions.text.engine.words import duration, money, plural
from sessions.timeline.engine.cards.card import Chip, Part
from sessions.timeline.engine.cards.lens import Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_int, as_list, as_number, as_text, as_word, joined_text
from sessions.timeline.engine.cards.tools.other import pair_parts
from sessions.transcripts.engine.rows import Record, Row

ChipText = tuple[str, str, str]
"""Label, detail, tone."""

_STATES = {
    "ai-title": ("title", "aiTitle"),
    "custom-title": ("title", "customTitle"),
    "summary": ("title", "summary"),
    "agent-name": ("agent name", "agentName"),
    "agent-setting": ("agent", "agentSetting"),
    "agent-color": ("agent colour", "agentColor"),
    "tag": ("tag", "tag"),
    "last-prompt": ("last prompt", "lastPrompt"),
    "permission-mode": ("permission mode", "permissionMode"),
    "mode": ("mode", "mode"),
    "pr-link": ("pull request", "prUrl"),
    "frame-link": ("artifact", "title"),
    "atis-latch": ("latch", "atis"),
    "bridge-session": ("remote session", ""),
    "worktree-state": ("worktree", "worktreeSession.worktreePath"),
    "relocated": ("moved to", "relocatedCwd"),
    "continued-in": ("continued in", "continuedInSessionId"),
    "history-suppression": ("history suppressed", "cause"),
    "file-history-delta": ("file backup", "trackingPath"),
    "content-replacement": ("results replaced", ""),
    "tools-used": ("tools used", ""),
    "api-request": ("request", ""),
    "api-request-blob": ("request body", ""),
    "api-request-shape": ("request shape", ""),
    "marble-origami-snapshot": ("collapse state", ""),
    "marble-origami-reset": ("collapse reset", ""),
    "started": ("started", "label"),
    "launched": ("launched", "label"),
    "result": ("result", "key"),
    "failed": ("failed", "key"),
    "saved_hook_context": ("hook context", "hookName"),
}
_ATTACHMENTS = {
    "hook_success": ("hook", "hookName"),
    "hook_non_blocking_error": ("hook failed", "hookName"),
    "hook_blocking_error": ("hook blocked", "hookName"),
    "hook_cancelled": ("hook cancelled", "hookName"),
    "hook_additional_context": ("hook context", "hookName"),
    "hook_system_message": ("hook message", "content"),
    "hook_permission_decision": ("hook decision", "decision"),
    "async_hook_response": ("hook response", "hookName"),
    "task_reminder": ("task reminder", "itemCount"),
    "todo_reminder": ("todo reminder", "itemCount"),
    "total_tokens_reminder": ("token reminder", "text"),
    "deferred_tools_delta": ("tools", "addedNames"),
    "deferred_tools_record": ("tools announced", "nameOnlyAnnouncements"),
    "mcp_instructions_delta": ("MCP instructions", "addedNames"),
    "agent_listing_delta": ("agents", "addedTypes"),
    "skill_listing": ("skills", "skillCount"),
    "invoked_skills": ("skills invoked", "skills"),
    "nested_memory": ("memory", "displayPath"),
    "file": ("file", "displayPath"),
    "compact_file_reference": ("file, by name only", "displayPath"),
    "directory": ("directory", "displayPath"),
    "edited_text_file": ("edited outside", "filename"),
    "selected_lines_in_ide": ("selected in editor", "displayPath"),
    "plan_mode": ("plan mode", "reminderType"),
    "plan_mode_exit": ("plan mode left", "planFilePath"),
    "plan_mode_reentry": ("plan mode again", "planFilePath"),
    "plan_file_reference": ("plan", "planFilePath"),
    "auto_mode": ("auto mode", "reminderType"),
    "auto_mode_exit": ("auto mode left", ""),
    "command_permissions": ("command permissions", "allowedTools"),
    "date_change": ("date", "newDate"),
    "date": ("date", "newDate"),
    "ultra_effort_enter": ("effort raised", ""),
    "ultrathink_effort": ("effort raised", ""),
    "structured_output": ("structured output", ""),
    "read_truncation_notice": ("read truncated", "banner"),
    "goal_status": ("goal", "condition"),
    "companion_intro": ("companion", "name"),
    "critical_system_reminder": ("reminder", "content"),
    "lucid_export": ("made by Lucid from", "session"),
    "budget_usd": ("budget", ""),
    "max_turns_reached": ("turn limit reached", "maxTurns"),
    "silent_turn_reminder": ("silent turn", ""),
    "remote_session_change": ("remote session", ""),
    "instructions": ("instructions", ""),
    "model": ("model", "identity.modelId"),
    "environment": ("environment", ""),
    "session_context": ("session context", ""),
    "prompt_snapshot": ("system prompt", ""),
    "queued_command": ("queued", "prompt"),
}
_TONES = {"hook_non_blocking_error": "warn", "hook_blocking_error": "bad", "max_turns_reached": "warn"}
_PROGRESS = {
    "bash_progress": ("running", "elapsedTimeSeconds"),
    "hook_progress": ("hook", "hookName"),
    "agent_progress": ("agent at work", "agentId"),
    "mcp_progress": ("MCP", "serverName"),
    "waiting_for_task": ("waiting", "taskDescription"),
    "query_update": ("searching", "query"),
    "search_results_received": ("results", "resultCount"),
}


def make_chip(row: Row, chip_text: ChipText, lens: Lens) -> Chip:
    label, detail, tone = chip_text
    return Chip(
        lens.line(label, 60), lens.line(detail, 70), row.position, row.address, tone, parts=_record_parts(row, lens)
    )


def _record_parts(row: Row, lens: Lens) -> tuple[Part, ...]:
    """On the entry page, everything that the record says."""
    if not lens.whole:
        return ()
    record = row.record
    inside = as_dict(record.get("attachment")) or as_dict(record.get("data"))
    envelope = {"parentUuid", "uuid", "sessionId", "session_id", "type", "cwd", "version", "gitBranch", "slug"}
    return pair_parts(inside or {key: value for key, value in record.items() if key not in envelope}, lens)


def describe_attachment(record: Record) -> ChipText:
    attachment = as_dict(record.get("attachment"))
    kind = as_text(attachment.get("type"))
    if kind not in _ATTACHMENTS:
        return "unknown attachment", kind, ""
    label, key = _ATTACHMENTS[kind]
    code = as_int(attachment.get("exitCode"))
    suffix = f" exit {code}" if code else ""
    return label, _detail(attachment, key) + suffix, "warn" if code and kind not in _TONES else _TONES.get(kind, "")


def describe_progress(record: Record) -> ChipText:
    data = as_dict(record.get("data"))
    kind = as_text(data.get("type"))
    if kind not in _PROGRESS:
        return "unknown progress", kind, ""
    label, key = _PROGRESS[kind]
    detail = _detail(data, key)
    return label, f"{detail}s" if kind == "bash_progress" and detail else detail, ""


def describe_state(record: Record) -> ChipText:
    kind = as_text(record.get("type"))
    if kind == "queue-operation":
        return "queue", f"{as_text(record.get('operation'))} {joined_text(record.get('content'))}", ""
    if kind == "file-history-snapshot":
        files = len(as_dict(as_dict(record.get("snapshot")).get("trackedFileBackups")))
        return "file backups", plural(files, "file"), ""
    if kind == "cost-state":
        spent, took = as_number(record.get("totalCostUSD")), as_number(record.get("totalDuration"))
        return (
            "cost so far",
            " ".join(("" if spent is None else money(spent), "" if took is None else duration(took))),
            "",
        )
    if kind in _STATES:
        label, key = _STATES[kind]
        return label, _detail(record, key), "bad" if kind == "failed" else ""
    return "unknown record", kind or "without a type", "warn"


def _detail(values: dict[str, Any], path: str) -> str:
    """The value at a dotted path, as a short text."""
    value: Any = values
    for key in path.split(".") if path else ():
        value = as_dict(value).get(key)
    if not path:
        return ""
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in as_list(value)):
            return joined_text(value) or f"{len(value)}"
        names = [item for item in value if isinstance(item, str)]
        return f"{len(value)}: {', '.join(names[:3])}" if value else "none"
    return as_word(value)
