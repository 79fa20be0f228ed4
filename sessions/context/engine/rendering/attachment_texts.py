"""The texts of an attachment, if its version recorded the facts and not the words that were sent.

Where no recording shows the wording, the facts stand for it, and the context says that the wording is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions.context.engine.rendering.wording import UNCERTAIN_WORDING, attachment_texts, queued_texts
from sessions.linking.engine.raw_fields import mapping, text

# Never sent: permissions, hooks without output, snapshots.
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
SPEAKING_HOOKS = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events whose hooks send their output to the model when they succeed."""
_TEXT_FIELDS = ("content", "text", "prompt", "snippet", "banner", "newDate", "addedLines", "addedBlocks", "planContent")
_LABELS = {"nested_memory": "path", "file": "filename", "edited_text_file": "filename", "directory": "path"}


def texts_of_attachment(attachment: Mapping[str, Any], *, event_intro: str, note: str) -> tuple[tuple[str, ...], bool]:
    """The texts that were sent for an attachment, if any, and whether recordings show their wording."""
    if attachment.get("type") == "queued_command":
        recorded_texts = queued_texts(attachment, event_intro=event_intro, note=note)
    else:
        recorded_texts = attachment_texts(attachment)
    if recorded_texts:
        return recorded_texts, attachment.get("type") not in UNCERTAIN_WORDING
    words = attachment_text(attachment)
    return ((words,) if words else ()), attachment.get("type") == "hook_success"


def attachment_text(attachment: Mapping[str, Any]) -> str:
    """The facts of an attachment as text; empty if nothing of it was sent."""
    kind = text(attachment.get("type"))
    if kind in UNSENT:
        return ""
    if kind == "hook_success":
        heard = attachment.get("hookEvent") in SPEAKING_HOOKS
        words = text(attachment.get("content")).strip()
        return f"{text(attachment.get('hookName'))} hook success: {words}" if heard and words else ""
    if kind == "hook_blocking_error":
        return text(mapping(attachment.get("blockingError")).get("blockingError"))
    words = next((field_text for name in _TEXT_FIELDS if (field_text := _flatten(attachment.get(name)))), "")
    label = text(attachment.get(_LABELS.get(kind, "")))
    return f"{label}\n{words}".strip() if words or label else kind.replace("_", " ")


def _flatten(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(filter(None, map(_flatten, value)))
    table = mapping(value)
    inner = table.get("file") or table.get("content") or table.get("text")
    return _flatten(inner) if inner is not None else ""
