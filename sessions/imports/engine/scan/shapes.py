"""Decodes the shapes that nearly every record has, without building values that nobody reads.

A record holds tool output twice, which makes up most of a transcript; an import needs neither copy as text. A record
with a single unusual key or value has none of these shapes. The caller then decodes it whole, which also finds what is
unknown in it. For all others both ways give the same summary; tests compare the two on every record that we have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Annotated, Any, Union, get_args

import msgspec
import stringzilla
from msgspec import Meta, Raw, defstruct

from sessions.imports.engine.known_names.attachments import ATTACHMENT_KEYS
from sessions.imports.engine.known_names.messages import (
    BLOCK_KEYS,
    CACHE_CREATION_KEYS,
    MESSAGE_KEYS,
    RESULT_BLOCKS,
    USAGE_KEYS,
)
from sessions.imports.engine.known_names.records import METADATA_KEYS, PROGRESS_KEYS, RECORD_KEYS, SUBTYPES
from sessions.imports.engine.scan.content import (
    CALL,
    CLEARED_TEXT,
    DETAIL_CHARS,
    ERROR,
    FAILED_HOOKS,
    IMAGE,
    META,
    PERSISTED_TAG,
    RESULT,
    SHOWN,
    THINKING,
    collect_strings,
    output_flags,
    result_content,
    spoken_content,
    system_content,
)
from sessions.imports.engine.scan.record_summary import Answer, Envelope, RecordSummary
from sessions.imports.engine.scan.times import milliseconds_of
from sessions.usage.engine.usage import MOST, Usage

LONGEST_LINE = 8 * 1024 * 1024
"""Of a line with other than ASCII: checking it makes a copy that is up to four times as long."""

Count = Annotated[int, Meta(ge=0, le=MOST)]


def is_plain(data: bytes) -> bool:
    """Whether every line of these bytes is sound."""
    return data.isascii() and not _has_surrogates(data)


def is_sound(line: bytes) -> bool:
    """Whether this line can be decoded here. The encoding of skipped values is not checked later, so it is now."""
    if line.isascii():
        return not _has_surrogates(line)
    if len(line) > LONGEST_LINE or _has_surrogates(line):
        return False
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _has_surrogates(data: bytes) -> bool:
    """Half of a surrogate pair is not text."""
    return bool(stringzilla.find(data, b"\\ud") >= 0 or stringzilla.find(data, b"\\uD") >= 0)


def summarise_quickly(line: bytes | memoryview) -> RecordSummary | None:
    """Takes a sound line. Returns None if it has none of these shapes or is not JSON."""
    try:
        row = _decode(line)
        stamp = row.stamp
        return _SUMMARISERS[type(row)](row, None if stamp is None else milliseconds_of(stamp))
    except (msgspec.MsgspecError, RecursionError):
        return None


def _define_shape(
    name: str, known_keys: Collection[str] | None, used: dict[str, Any], *, tag: str = "", base: Any = None
) -> Any:
    """A type that accepts all known keys, but builds only the values of those in use."""
    bases = (base,) if base else ()
    named = {*used, *(base.__struct_encode_fields__ if base else ()), *(["type"] if tag else [])}
    fields: list[Any] = [(key, kind, None) if _is_optional(kind) else (key, kind) for key, kind in used.items()]
    fields += [(key, Raw, None) for key in sorted(known_keys or ()) if key not in named]
    tagged: dict[str, Any] = {"tag_field": "type", "tag": tag} if tag else {}
    return defstruct(
        name, fields, bases=bases, kw_only=True, gc=False, forbid_unknown_fields=known_keys is not None, **tagged
    )


def _is_optional(kind: Any) -> bool:
    return kind in (Raw, None) or type(None) in get_args(kind)


def _union_of(shapes: Iterable[Any]) -> Any:
    return Union[tuple(shapes)]  # noqa: UP007 - they are not known before this runs


_USED_BLOCKS: dict[str, dict[str, Any]] = {
    "text": {"text": str},
    "thinking": {},
    "redacted_thinking": {},
    "tool_use": {"id": str, "name": str, "input": Any},
    "server_tool_use": {"id": str, "name": str, "input": Any},
    "mcp_tool_use": {"id": str, "name": str, "input": Any},
    "tool_result": {"tool_use_id": str, "content": Raw, "is_error": bool | None},
    "image": {},
    "document": {},
}
_BLOCK = {tag: _define_shape(f"Block_{tag}", BLOCK_KEYS[tag], used, tag=tag) for tag, used in _USED_BLOCKS.items()}
_PART = {tag: _define_shape(f"Part_{tag}", None, {"text": str | None}, tag=tag) for tag in RESULT_BLOCKS}
_BLOCKS: Any = list[_union_of(_BLOCK.values())]  # type: ignore[misc]
_CACHE_CREATION = _define_shape("Lived", CACHE_CREATION_KEYS, dict.fromkeys(sorted(CACHE_CREATION_KEYS), Count | None))
_USAGE = _define_shape(
    "Usage",
    USAGE_KEYS,
    {
        "input_tokens": Count,
        "output_tokens": Count,
        "cache_creation_input_tokens": Count | None,
        "cache_read_input_tokens": Count | None,
        "cache_creation": _CACHE_CREATION | None,
    },
)
_QUESTION = _define_shape("Question", MESSAGE_KEYS, {"content": str | _BLOCKS})
_ANSWER = _define_shape("Answer", MESSAGE_KEYS, {"id": str, "model": str, "content": _BLOCKS, "usage": _USAGE | None})
_ATTACHED = {
    tag: _define_shape(f"Attached_{tag}", keys, {}, tag=tag)
    for tag, keys in ATTACHMENT_KEYS.items()
    if tag != "queued_command"
}
_PROGRESS = {tag: _define_shape(f"Progress_{tag}", keys, {}, tag=tag) for tag, keys in PROGRESS_KEYS.items()}

_flag = bool | None
_RECORD = {
    tag: _define_shape(f"Record_{tag}", RECORD_KEYS[tag], used, tag=tag, base=Envelope)
    for tag, used in {
        "user": {"message": _QUESTION, "isMeta": _flag, "isCompactSummary": _flag, "origin": dict[str, Any] | None},
        "assistant": {"message": _ANSWER, "requestId": str | None, "isApiErrorMessage": _flag},
        # Records about compactions are decoded whole.
        "system": {"subtype": str | None, "level": str | None, "isMeta": _flag, **dict.fromkeys(METADATA_KEYS, None)},
        "attachment": {"attachment": _union_of(_ATTACHED.values())},
        "progress": {"data": _union_of(_PROGRESS.values())},
    }.items()
}
_DETAIL = {shape: tag for table in (_ATTACHED, _PROGRESS, _BLOCK, _PART) for tag, shape in table.items()}

_decode: Callable[[bytes | memoryview], Any] = msgspec.json.Decoder(_union_of(_RECORD.values())).decode
_decode_parts: Callable[[Raw], Any] = msgspec.json.Decoder(list[_union_of(_PART.values())]).decode  # type: ignore[misc]


def _summarise_user(row: Any, timestamp: int | None) -> RecordSummary:
    body = row.message.content
    flags, tool, results = META if row.isMeta else 0, None, 0
    texts: list[str] = []
    if type(body) is str:
        texts.append(body)
    else:
        for block in body:
            kind = _DETAIL[type(block)]
            if kind == "tool_result":
                results += 1
                flags |= _result_flags(block)
                if tool is None:
                    tool = block.tool_use_id
            elif kind == "text":
                texts.append(block.text)
            elif kind == "image" or kind == "document":
                flags |= IMAGE
    if results:
        return RecordSummary("user", row, timestamp, result_content(flags, results, tool, texts))
    return RecordSummary(
        "user", row, timestamp, spoken_content(flags, texts, row.origin, summary=bool(row.isCompactSummary))
    )


def _result_flags(block: Any) -> int:
    flags = RESULT | ERROR if block.is_error else RESULT
    if block.content is None:
        return flags
    view = memoryview(block.content)
    if view[0] == _LIST:
        for part in _decode_parts(block.content):
            kind = _DETAIL[type(part)]
            if kind == "image":
                flags |= IMAGE
            elif kind == "text":
                flags |= output_flags(part.text)
    elif view[0] == _STRING and view[1] in _FLAGGED_STARTS:
        flags |= output_flags(msgspec.json.decode(block.content))
    return flags


_LIST, _STRING = ord("["), ord('"')
_FLAGGED_STARTS = frozenset({ord(PERSISTED_TAG[0]), ord(CLEARED_TEXT[0]), ord("\\")})
"""First characters of output that sets a flag, as they are or escaped."""


def _summarise_assistant(row: Any, timestamp: int | None) -> RecordSummary:
    message = row.message
    flags, tool, name = SHOWN, None, ""
    texts: list[str] = []
    for block in message.content:
        kind = _DETAIL[type(block)]
        if kind == "text":
            texts.append(block.text)
        elif kind == "thinking" or kind == "redacted_thinking":
            flags |= THINKING
        elif kind in _CALLS:
            flags |= CALL
            if tool is None:
                tool, name = block.id, block.name[:DETAIL_CHARS]
            collect_strings(block.input, texts)
    if row.isApiErrorMessage:
        flags |= ERROR
    answer = Answer(message.id, message.model, _read_usage(message.usage), row.requestId) if message.id else None
    return RecordSummary("assistant", row, timestamp, (flags, name, tool, "\n".join(texts)), answer)


_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def _read_usage(raw: Any) -> Usage | None:
    if raw is None:
        return None
    split = raw.cache_creation
    split_by_lifetime = (
        (split.ephemeral_5m_input_tokens or 0, split.ephemeral_1h_input_tokens or 0) if split else (0, 0)
    )
    read, written = raw.cache_read_input_tokens or 0, raw.cache_creation_input_tokens or 0
    return Usage.from_counts(raw.input_tokens, read, written, split_by_lifetime, raw.output_tokens)


def _summarise_system(row: Any, timestamp: int | None) -> RecordSummary | None:
    if row.subtype is not None and row.subtype not in SUBTYPES:
        return None
    return RecordSummary("system", row, timestamp, system_content(row.subtype or "", row.level, meta=bool(row.isMeta)))


def _summarise_attachment(row: Any, timestamp: int | None) -> RecordSummary:
    detail = _DETAIL[type(row.attachment)]
    return RecordSummary(
        "attachment", row, timestamp, (SHOWN | ERROR if detail in FAILED_HOOKS else SHOWN, detail, None, "")
    )


def _summarise_progress(row: Any, timestamp: int | None) -> RecordSummary:
    return RecordSummary("progress", row, timestamp, (0, _DETAIL[type(row.data)], None, ""))


_SUMMARISERS: dict[Any, Callable[[Any, int | None], RecordSummary | None]] = {
    _RECORD["user"]: _summarise_user,
    _RECORD["assistant"]: _summarise_assistant,
    _RECORD["system"]: _summarise_system,
    _RECORD["attachment"]: _summarise_attachment,
    _RECORD["progress"]: _summarise_progress,
}
