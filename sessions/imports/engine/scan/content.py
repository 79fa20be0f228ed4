"""What a record holds, by its family: detail, flags, the ids it is linked by, and the text that search indexes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions.imports.engine.scan.speech import queued_speech, user_speech
from sessions.transcripts.engine.flags import Flag

CLEARED_TEXT = "[Old tool result content cleared]"
PERSISTED_TAG = "<persisted-output>"
DETAIL_CHARS = 200
FAILED_HOOKS = frozenset({"hook_blocking_error", "hook_non_blocking_error"})

# Plain numbers, because this runs for every record of an import and IntFlag arithmetic is ten times slower.
SHOWN, TYPED, META, ERROR = int(Flag.SHOWN), int(Flag.TYPED), int(Flag.META), int(Flag.ERROR)
CALL, RESULT, IMAGE, SUMMARY = int(Flag.CALL), int(Flag.RESULT), int(Flag.IMAGE), int(Flag.SUMMARY)
BOUNDARY, PERSISTED, CLEARED = int(Flag.BOUNDARY), int(Flag.PERSISTED), int(Flag.CLEARED)
THINKING = int(Flag.THINKING)


Content = tuple[int, str, str | None, str]
"""flags, detail, the id of a tool call (or what else it is looked up by), text"""


def output_flags(text: object) -> int:
    """Whether the text of a tool result was moved to disk or cleared."""
    if type(text) is not str:
        return 0
    if text.startswith(PERSISTED_TAG):
        return PERSISTED
    return CLEARED if text == CLEARED_TEXT else 0


def _result_flags(block: dict[str, Any]) -> int:
    flags = RESULT
    if block.get("is_error") is True:
        flags |= ERROR
    inner = block.get("content")
    if isinstance(inner, str):
        flags |= output_flags(inner)
    elif isinstance(inner, list):
        for part in inner:
            if not isinstance(part, dict):
                continue
            kind = part.get("type")
            if kind == "image":
                flags |= IMAGE
            elif kind == "text":
                flags |= output_flags(part.get("text"))
    return flags


def _read_user(record: dict[str, Any]) -> Content:
    message = record.get("message")
    body = message.get("content") if isinstance(message, dict) else message
    flags, tool, results, texts = 0, None, 0, []
    if isinstance(body, str):
        texts.append(body)
    elif isinstance(body, list):
        for block in body:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "tool_result":
                results += 1
                flags |= _result_flags(block)
                if tool is None:
                    tool = block.get("tool_use_id")
            elif kind == "text":
                text = block.get("text")
                if isinstance(text, str):
                    texts.append(text)
            elif kind == "image" or kind == "document":
                flags |= IMAGE
    if record.get("isMeta") is True:
        flags |= META
    if results:
        return result_content(flags, results, tool, texts)
    return spoken_content(flags, texts, record.get("origin"), summary=bool(record.get("isCompactSummary")))


def result_content(flags: int, results: int, tool: str | None, texts: list[str]) -> Content:
    """A record is shown in the card of its call only if it holds one result and no text; the rest would be hidden
    there."""
    if results > 1 or texts:
        flags |= SHOWN
    return flags, "", tool, "" if flags & META else "\n".join(texts)


def spoken_content(flags: int, texts: list[str], origin: object, *, summary: bool) -> Content:
    text = "\n".join(texts)
    if summary:
        return flags | SUMMARY | SHOWN, "", None, text
    if flags & META:
        return flags | SHOWN, "", None, ""
    return flags | SHOWN | user_speech(origin, text), "", None, text


def collect_strings(value: object, strings: list[str], depth: int = 0) -> None:
    """All strings of a tool's input, for the search index."""
    if type(value) is str:
        strings.append(value)
    elif depth < 6:
        if type(value) is dict:
            for part in value.values():
                if type(part) is str:
                    strings.append(part)
                else:
                    collect_strings(part, strings, depth + 1)
        elif type(value) is list:
            for part in value:
                collect_strings(part, strings, depth + 1)


def _read_assistant(record: dict[str, Any]) -> Content:
    message = record.get("message")
    body = message.get("content") if isinstance(message, dict) else message
    flags, tool, name, texts = SHOWN, None, "", []
    if isinstance(body, str):
        texts.append(body)
    elif isinstance(body, list):
        for block in body:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "text":
                text = block.get("text")
                if isinstance(text, str):
                    texts.append(text)
            elif kind == "tool_use" or kind == "server_tool_use" or kind == "mcp_tool_use":
                flags |= CALL
                if tool is None:
                    tool = block.get("id")
                    called = block.get("name")
                    name = called if type(called) is str else ""
                collect_strings(block.get("input"), texts)
            elif kind == "thinking" or kind == "redacted_thinking":
                flags |= THINKING
    if record.get("isApiErrorMessage") is True:
        flags |= ERROR
    return flags, name[:DETAIL_CHARS], tool, "\n".join(texts)


def _read_system(record: dict[str, Any]) -> Content:
    subtype = record.get("subtype")
    detail = subtype[:DETAIL_CHARS] if type(subtype) is str else ""
    return system_content(detail, record.get("level"), meta=record.get("isMeta") is True)


def system_content(detail: str, level: object, *, meta: bool) -> Content:
    flags = SHOWN | META if meta else SHOWN
    if detail == "compact_boundary":
        flags |= BOUNDARY
    elif detail == "api_error" or level == "error":
        flags |= ERROR
    return flags, detail, None, ""


def _read_attachment(record: dict[str, Any]) -> Content:
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return SHOWN, "", None, ""
    kind = attachment.get("type")
    detail = kind[:DETAIL_CHARS] if type(kind) is str else ""
    flags, text = SHOWN, ""
    if detail == "queued_command":
        flags |= queued_speech(attachment)
        if flags & TYPED:
            texts: list[str] = []
            collect_strings(attachment.get("prompt"), texts)
            text = "\n".join(part for part in texts if part not in ("text", "image"))
    elif detail in FAILED_HOOKS:
        flags |= ERROR
    return flags, detail, None, text


def _read_progress(record: dict[str, Any]) -> Content:
    data = record.get("data")
    kind = data.get("type") if isinstance(data, dict) else None
    return 0, kind[:DETAIL_CHARS] if type(kind) is str else "", None, ""


def _title_reader(key: str) -> Callable[[dict[str, Any]], Content]:
    def read_title(record: dict[str, Any]) -> Content:
        text = record.get(key)
        return 0, "", None, text if type(text) is str else ""

    return read_title


def _read_nothing(_record: dict[str, Any]) -> Content:
    return 0, "", None, ""


def _name_reader(key: str) -> Callable[[dict[str, Any]], Content]:
    """Quiet, but looked up by a hash."""

    def read_name(record: dict[str, Any]) -> Content:
        name = record.get(key)
        return 0, "", name if type(name) is str else None, ""

    return read_name


def _show_only(_record: dict[str, Any]) -> Content:
    return SHOWN, "", None, ""


READERS: dict[str, Callable[[dict[str, Any]], Content]] = {
    "user": _read_user,
    "assistant": _read_assistant,
    "system": _read_system,
    "attachment": _read_attachment,
    "progress": _read_progress,
    "summary": _title_reader("summary"),
    "ai-title": _title_reader("aiTitle"),
    "custom-title": _title_reader("customTitle"),
    "api-request-blob": _name_reader("hash"),
    "api-request-shape": _name_reader("shapeHash"),
    # Written again at every turn, so a timeline shows it only in full view.
    **dict.fromkeys(
        (
            "last-prompt",
            "permission-mode",
            "mode",
            "file-history-snapshot",
            "file-history-delta",
            "atis-latch",
            "tools-used",
            "cost-state",
            "api-request",
            "bridge-session",
            "agent-name",
            "agent-setting",
            "agent-color",
            "queue-operation",
        ),
        _read_nothing,
    ),
}


def content_of(kind: str, record: dict[str, Any]) -> Content:
    """Types that are not in the table are shown, as they may matter."""
    return READERS.get(kind, _show_only)(record)
