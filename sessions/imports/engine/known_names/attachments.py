"""The attachment types and their keys: context that the client added, and output of hooks."""

from __future__ import annotations

from sessions.imports.engine.known_names.records import KnownKeys, names

_HOOK = "hookName hookEvent toolUseID content"
_RUN = f"{_HOOK} command stdout stderr exitCode durationMs"
_PLAN = "reminderType isSubAgent planFilePath planExists planContent"
_AUTO = "autoModeConsentFlow bashFirst bashFirstSteer steerOnly bypass reminderType finishExposedWork"
_FILE = "filename displayPath content savedCopyFraming"

_KEYS: dict[str, str | None] = {
    "hook_success": _RUN,
    "hook_non_blocking_error": _RUN,
    "hook_additional_context": _HOOK,
    "hook_system_message": _HOOK,
    "hook_blocking_error": f"{_HOOK} blockingError",
    "hook_cancelled": _RUN,
    "hook_permission_decision": None,
    "async_hook_response": f"{_RUN} processId response",
    "queued_command": (
        "prompt commandMode origin timestamp source_uuid isMeta imagePasteIds delivery_id runId toolsUsedDelta usage"
    ),
    "task_reminder": "content itemCount",
    "todo_reminder": "content itemCount",
    "total_tokens_reminder": "text",
    "silent_turn_reminder": "text",
    "deferred_tools_delta": (
        "addedNames addedLines removedNames readdedNames pendingMcpServers needsAuthMcpServers failedMcpServers"
        " wireHiddenNames causeNeutral retractedTools toolSearchAbsent"
    ),
    "deferred_tools_record": "nameOnlyAnnouncements entries",
    "mcp_instructions_delta": "addedNames addedBlocks removedNames",
    "agent_listing_delta": (
        "addedTypes addedLines removedTypes isInitial showConcurrencyNote builtInTypes builtInPluginTypes"
    ),
    "skill_listing": "content skillCount isInitial names digests",
    "invoked_skills": "skills",
    "nested_memory": "path displayPath content",
    "file": _FILE,
    "compact_file_reference": _FILE,
    "directory": "path displayPath content",
    "edited_text_file": "filename snippet displayPath",
    "selected_lines_in_ide": "ideName lineStart lineEnd filename displayPath content",
    "plan_mode": _PLAN,
    "plan_mode_exit": _PLAN,
    "plan_mode_reentry": _PLAN,
    "plan_file_reference": _PLAN,
    "auto_mode": _AUTO,
    "auto_mode_exit": _AUTO,
    "command_permissions": "allowedTools model",
    "date_change": "newDate",
    "date": "date newDate",
    "ultra_effort_enter": "reminderType",
    "ultrathink_effort": "reminderType",
    "structured_output": "data toolUseID",
    "read_truncation_notice": "banner toolUseID",
    "goal_status": "condition met sentinel reason iterations durationMs tokens",
    "companion_intro": "name species",
    "critical_system_reminder": "content",
    "lucid_export": "session kind run",
    "model": "identity text",
    "environment": "snapshot",
    "session_context": "context",
    "prompt_snapshot": (
        "systemPrompt tools cliPrefix reminderFold echoWireToolInputs contextRendering systemTurns toolChangeHeader"
        " inlineTools keptReminders"
    ),
    "instructions": "files changed reason",
    "remote_session_change": "url commit pr sendUserFileHint managedCommit managedPr",
    "budget_usd": None,
    "max_turns_reached": None,
}

ATTACHMENT_KEYS: dict[str, KnownKeys] = {
    kind: None if keys is None else names(f"type {keys}") for kind, keys in _KEYS.items()
}
