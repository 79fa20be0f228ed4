"""Who is speaking: which user rows are a person's own words, and which the client wrote in their name."""

from __future__ import annotations

from typing import Any

from sessions.engine.flags import Flag

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
    "<system-reminder>",
    "<ci-monitor-event>",
    "[Request interrupted by user",
    "This session is being continued",
)


def user_speech(record: dict[str, Any], text: str) -> Flag:
    """TYPED, COMMAND, or nothing, for a user row without tool results."""
    if record.get("isMeta") or record.get("isCompactSummary"):
        return Flag(0)
    origin = record.get("origin")
    if isinstance(origin, dict) and origin.get("kind", "human") != "human":
        return Flag(0)
    start = text.lstrip()[:64]
    if start.startswith(_COMMANDS):
        return Flag.COMMAND
    if start.startswith(_INJECTED):
        return Flag(0)
    return Flag.TYPED


def queued_speech(attachment: dict[str, Any]) -> Flag:
    """Text typed while the model works is an attachment, not a user row."""
    if attachment.get("isMeta"):
        return Flag(0)
    origin = attachment.get("origin")
    if isinstance(origin, dict) and "kind" in origin:
        return Flag.TYPED if origin["kind"] == "human" else Flag(0)
    return Flag.TYPED if attachment.get("commandMode", "prompt") == "prompt" else Flag(0)
