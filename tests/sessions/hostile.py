"""A transcript that holds one string wherever a transcript can hold text, in every family of record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.sessions.writing import Writing

SCRIPT = "<script>alert('lucid')</script>"
BREAKOUT = "\"'></a></textarea></title><img src=x onerror=alert(1)><svg onload=alert(2)>"
LINKS = f"[a](javascript:alert(3)) <javascript:alert(4)> ![b](javascript:alert(5)) [c](data:text/html,{SCRIPT})"
UNSEEN = "high\u202erewot\u202c \u2066tide\u2069 \x1b[31mred\x07 \x9b \u200bpay\u200dpal\u200f\u061c \ufeff\x7f"
"""Characters that turn the text around, are obeyed by a terminal, or part a word without a sign."""
PAYLOAD = f"{SCRIPT}{BREAKOUT}{LINKS}"
AGENT = "a1b2c3d"

NAMES = (
    b"<script>alert(1)<",
    b"..%2f..%2fetc%2fpasswd",
    b"\"quotes' and `ticks`",
    b"two\nlines\ttab",
    b"..",
    b".",
    b"",
    b"?q=1&a=2#frag",
    b"; rm -rf $HOME",
    b"\x1b]0;title\x07 \x9b31m",
    "潮汐-한국어-🌊".encode(),
    "e\u0301cole \u202egnirts".encode(),
    b"caf\xe9 \xff\xfe",
    b"n" * 249,
    ("ü" * 124).encode(),
)
"""Of files, without their suffix."""

_TOOLS = """
Agent AgentOutputTool AskUserQuestion Bash BashOutput Edit ExitPlanMode Glob Grep KillBash LS MultiEdit NotebookEdit
NotebookRead PowerShell Read SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop
TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write mcp__tide__station
"""
_INPUTS = """
command description prompt subagent_type file_path path pattern glob query url old_string new_string content plan
notebook_path new_source skill args message to recipient task_id taskId subject status name cell_type output_mode
"""
_ATTACHMENTS = """
hook_success hook_blocking_error hook_additional_context queued_command task_reminder todo_reminder skill_listing
nested_memory file compact_file_reference directory edited_text_file selected_lines_in_ide plan_mode model
prompt_snapshot command_permissions date_change goal_status companion_intro instructions something_new
"""
_STATES = """
ai-title custom-title summary last-prompt permission-mode mode agent-name agent-setting pr-link frame-link
queue-operation file-history-snapshot content-replacement continued-in cost-state tools-used marble-origami-commit
"""
_STATE_KEYS = """
aiTitle customTitle summary lastPrompt permissionMode mode agentName agentSetting prUrl prRepository url content
operation continuedInSessionId leafUuid messageId
"""
_SUBTYPES = """
compact_boundary microcompact_boundary snip_boundary turn_duration stop_hook_summary api_error local_command
away_summary informational bridge_status model_refusal_fallback scheduled_task_fire agents_killed something_new
"""


def everywhere(text: str, session: str = "99999999-2222-4333-8444-555555555555") -> Writing:
    writing = Writing(session=session)
    _state(writing, text)
    _speech(writing, text)
    _tools(writing, text)
    _system(writing, text)
    _identity(writing, text)
    return writing


def save_with_family(writing: Writing, project: Path, text: str, file_name: str) -> Path:
    """The transcript, a sub-agent with its meta file, and a spilled output under `file_name`."""
    path = writing.save(project)
    folder = project / writing.session
    agent = Writing(session=writing.session, clock=writing.clock)
    agent.user(text, isSidechain=True, agentId=AGENT, uuid="agent-1")
    agent.assistant(text, isSidechain=True, agentId=AGENT, message="msg_agent", uuid="agent-2")
    agent.save(folder / "subagents", f"agent-{AGENT}")
    names = ("agentType", "description", "toolUseId", "parentAgentId", "model", "worktreePath", text)
    (folder / "subagents" / f"agent-{AGENT}.meta.json").write_text(json.dumps(dict.fromkeys(names, text)))
    (folder / "tool-results").mkdir()
    (folder / "tool-results" / file_name).write_text(f"{text}\nspilled mooring\n")
    return path


def _state(writing: Writing, text: str) -> None:
    for kind in _STATES.split():
        writing.state(kind, **dict.fromkeys(_STATE_KEYS.split(), text))
    writing.state(text or "empty", **{text: text, "nested": [{text: [text]}]})


def _speech(writing: Writing, text: str) -> None:
    writing.user(text)
    writing.user(f"Here: {text}\n\n# {text}\n\n- {text}\n\n| {text} | b |\n|---|---|\n| {text} | c |\n", isMeta=True)
    for tag in ("command-name", "command-message", "local-command-stdout", "bash-input", "system-reminder"):
        writing.user(f"<{tag}>{text}</{tag}>{text}")
    writing.assistant(text)
    writing.assistant(
        f"```{text}\n{text}\n```\n\n`{text}`\n\n<div {text}>\n\n> {text}\n\n[x]: {text}\n\n[y][x] ~~{text}~~"
    )
    writing.assistant({"type": "thinking", "thinking": text, "signature": text})
    writing.assistant({"type": text, text: text})
    writing.assistant(text, isApiErrorMessage=True, error=text, apiError=text, errorDetails=text)
    source = {"type": "base64", "media_type": text, "data": text}
    markup = {"type": "base64", "media_type": "image/svg+xml", "data": "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+"}
    images = [{"type": "image", "source": item} for item in (source, markup, {"type": "url", "url": text}, text)]
    writing.row(
        "user", message={"role": "user", "content": [*images, {"type": "document", "source": source, "title": text}]}
    )


def _tools(writing: Writing, text: str) -> None:
    given: dict[str, Any] = dict.fromkeys(_INPUTS.split(), text)
    given["todos"] = [{"content": text, "status": text, "activeForm": text}]
    given["edits"] = [{"old_string": text, "new_string": f"{text}!"}]
    given["questions"] = [{"question": text, "header": text, "options": [{"label": text, "description": text}]}]
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{text}", f"+{text}!"]}]
    for number, name in enumerate([*_TOOLS.split(), text, f"mcp__{text}__{text}"]):
        tool = f"toolu_{number}"
        writing.call(name, tool, **given)
        result = {
            **given,
            "stdout": text,
            "stderr": text,
            "structuredPatch": patch,
            "agentId": AGENT,
            "filenames": [text],
        }
        result |= {
            "answers": {text: text},
            "file": {"filePath": text, "content": text},
            "results": [text],
            "result": text,
        }
        writing.result(tool, text, error=number % 3 == 0, toolUseResult=result)
    saved = f"<persisted-output>\nOutput too large (1KB). Full output saved to: /tmp/x/{text}\n\nPreview:\n{text}"
    writing.call("Bash", text, command=text)
    writing.result(text, saved, toolUseResult={"persistedOutputPath": f"/tmp/x/{text}", "persistedOutputSize": text})
    writing.result("toolu_nobody", text)


def _system(writing: Writing, text: str) -> None:
    for kind in _ATTACHMENTS.split():
        block = dict.fromkeys(
            ("content", "prompt", "filename", "displayPath", "path", "command", "stdout", "text"), text
        )
        writing.row("attachment", attachment={"type": kind, **block, "hookName": text, "blockingError": text})
    writing.row("attachment", attachment={"type": text, "content": [text]})
    metadata = {"trigger": text, "preTokens": text, "postTokens": -5, "durationMs": text, "preservedSegment": text}
    for kind in [*_SUBTYPES.split(), text]:
        hooks = [{"command": text, "durationMs": text}]
        more = {
            "hookInfos": hooks,
            "hookErrors": [text],
            "stopReason": text,
            "error": text,
            "snipMetadata": {"removedUuids": text},
        }
        writing.row("system", subtype=kind, content=text, level=text, compactMetadata=metadata, url=text, **more)
    writing.user(text, isCompactSummary=True)
    for kind in ("agent_progress", "bash_progress", "hook_progress", text):
        writing.row("progress", data={"type": kind, "agentId": text, "output": text, "command": text}, toolUseID=text)


def _identity(writing: Writing, text: str) -> None:
    """Ids and names of things; the places that are not prose."""
    names: dict[str, Any] = {
        "cwd": f"/home/{text}",
        "gitBranch": text,
        "version": text,
        "slug": text,
        "agentId": text,
        "userType": text,
    }
    writing.user("identity", **names, uuid=text or None, promptId=text, entrypoint=text, timestamp=text)
    usage: dict[str, Any] = dict.fromkeys(
        ("input_tokens", "output_tokens", "cache_read_input_tokens", "service_tier"), text
    )
    writing.assistant(
        "identity",
        **names,
        model=text,
        message=text or None,
        request=text,
        parent=text,
        usage={**usage, "output_tokens": 7},
    )
    writing.records.append({**writing.records[-1], "sessionId": text, "uuid": f"{text}2", "type": "assistant"})
