"""Tells which user rows are a person's own words, and which the client wrote on their behalf."""

from __future__ import annotations

from typing import Any

from sessions.transcripts.engine.flags import Flag

_TYPED, _COMMAND = int(Flag.TYPED), int(Flag.COMMAND)

_COMMANDS = (
    "<command-name>",
    "<command-message>",
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "Caveat:",
)
_INJECTED = (
    "<task-notification>",
    "<teammate-message",
    "<agent-message",
    "Another Claude session sent a message:",
    "<system-reminder>",
    "<ci-monitor-event>",
    "[Request interrupted by user",
    "This session is being continued",
)


def user_speech(origin: object, text: str) -> int:
    """TYPED, COMMAND, or nothing, for the text of a user row that is neither tool results, meta nor summary."""
    if isinstance(origin, dict) and origin.get("kind", "human") != "human":
        return 0
    start = text.lstrip()[:64]
    if start.startswith(_COMMANDS):
        return _COMMAND
    if start.startswith(_INJECTED):
        return 0
    return _TYPED


def queued_speech(attachment: dict[str, Any]) -> int:
    """Text typed while the model works is an attachment, not a user row."""
    if attachment.get("isMeta"):
        return 0
    origin = attachment.get("origin")
    if isinstance(origin, dict) and "kind" in origin:
        return _TYPED if origin["kind"] == "human" else 0
    return _TYPED if attachment.get("commandMode", "prompt") == "prompt" else 0
