"""What an attachment said, where the version that wrote it kept the facts and not the words that were sent.

The facts are shown, and the context says that the wording is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions.context.engine.rendering.wording import NOT_SEEN, worded
from sessions.linking.engine.raw_fields import mapping, text

# Only kept by the client for itself: permissions, what hooks did when they had nothing to say, snapshots.
UNSENT = frozenset(
    {
        "already_read_file",
        "command_permissions",
        "deferred_tools_record",
        "hook_cancelled",
        "hook_non_blocking_error",
        "hook_permission_decision",
        "hook_system_message",  # documented as a message for the person
        "lucid_export",
        "prompt_snapshot",
        "structured_output",
    }
)
HEARD_HOOKS = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events whose hooks speak to the model when they succeed."""
_WORDS = ("content", "text", "prompt", "snippet", "banner", "newDate", "addedLines", "addedBlocks", "planContent")
_LABELS = {"nested_memory": "path", "file": "filename", "edited_text_file": "filename", "directory": "path"}


def attachment_words(attachment: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """The texts that were sent for it, none if it was not sent; and whether recordings show that wording."""
    known = worded(attachment)
    if known:
        return known, attachment.get("type") not in NOT_SEEN
    words = attachment_text(attachment)
    return ((words,) if words else ()), attachment.get("type") == "hook_success"


def attachment_text(attachment: Mapping[str, Any]) -> str:
    """Empty if nothing of it was sent."""
    kind = text(attachment.get("type"))
    if kind in UNSENT:
        return ""
    if kind == "hook_success":
        heard = attachment.get("hookEvent") in HEARD_HOOKS
        words = text(attachment.get("content")).strip()
        return f"{text(attachment.get('hookName'))} hook success: {words}" if heard and words else ""
    if kind == "hook_blocking_error":
        return text(mapping(attachment.get("blockingError")).get("blockingError"))
    words = next((found for name in _WORDS if (found := _flat(attachment.get(name)))), "")
    label = text(attachment.get(_LABELS.get(kind, "")))
    return f"{label}\n{words}".strip() if words or label else kind.replace("_", " ")


def _flat(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(filter(None, map(_flat, value)))
    given = mapping(value)
    inner = given.get("file") or given.get("content") or given.get("text")
    return _flat(inner) if inner is not None else ""
