"""Reads the latest files again: their text went with the summarised part, and may be outdated."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.attachments.parts import AttachmentPart, count_tokens, cut_to_tokens
from compaction.mechanisms.engine.attachments.surroundings import ReadFile, Surroundings
from compaction.mechanisms.engine.conversation.calls import result_text, results_of
from compaction.mechanisms.engine.setting_field import setting
from sessions.imports.engine.scan.content import CLEARED_TEXT, PERSISTED_TAG
from sessions.transcripts.engine.messages import Block, Message, MessageKind

READING_TOOLS = frozenset({"Read", "View", "FileRead"})
INSTRUCTION_FILES = frozenset({"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md"})
MOST_NAMED_FILES = 3
"""How many of the files left out for one reason are named."""
_RESTORED = re.compile(r'<file path="([^"\n]+)">')


@dataclass(frozen=True, slots=True)
class FileConfig:
    enabled: bool = setting(True, "Files that were read last, as the session shows them.")
    most: int = setting(5, "Files that are attached again, those read last.", label="Files attached again")
    tokens_each: int = setting(5_000, "Tokens of one such file; a longer one is cut.", label="Tokens of a file")
    tokens_in_all: int = setting(50_000, "Tokens of all such files; a quarter of the former size at most.")


def files_read(messages: Sequence[Message]) -> tuple[str, ...]:
    """The paths that were read, the latest first."""
    return tuple(_paths_read(messages, frozenset()))


def files_shown(messages: Sequence[Message]) -> frozenset[str]:
    """The paths whose text is in these messages: not if it was cleared, moved to a file, or could not be read."""
    textless = frozenset(result.tool_use_id for result in results_of(messages) if _is_textless(result.block))
    return frozenset(_paths_read(messages, textless))


def restore_files(
    covered: Sequence[Message],
    kept_messages: Sequence[Message],
    surroundings: Surroundings,
    config: FileConfig,
    read_file: ReadFile,
) -> Iterator[AttachmentPart]:
    """One part for each file that fits, then the remarks about those that do not."""
    shown_paths = files_shown(kept_messages)
    plan = surroundings.plan.path if surroundings.plan is not None else ""
    memory = set(surroundings.memory_paths)
    left_out: dict[str, list[str]] = {}
    files = spent = 0
    for path in files_read(covered):
        if path in shown_paths:
            left_out.setdefault("it stands in the kept messages", []).append(path)
            continue
        if path == plan or path in memory or posixpath.basename(path) in INSTRUCTION_FILES:
            left_out.setdefault("plan and memory files come in another way", []).append(path)
            continue
        if files == config.most:
            left_out.setdefault(f"{config.most} files are restored", []).append(path)
            continue
        text = read_file(path)
        if text is None or not text.strip():
            left_out.setdefault("it is empty or cannot be read any more", []).append(path)
            continue
        room = min(config.tokens_each, config.tokens_in_all - spent)
        if room <= 0:
            left_out.setdefault(f"{config.tokens_in_all:,} tokens of files are restored", []).append(path)
            continue
        files += 1
        fits = cut_to_tokens(text, room)
        spent += count_tokens(fits)
        yield _part(path, text, fits)
    if left_out:
        yield AttachmentPart("files-left-out", "", "", tuple(_left_out(left_out)))


def _left_out(left_out: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Names each file, or only the first of many: a session may have read thousands."""
    for why, paths in left_out.items():
        if len(paths) <= MOST_NAMED_FILES:
            yield from (f"{path} is left out: {why}" for path in paths)
        else:
            more = (
                "1 more file" if len(paths) == MOST_NAMED_FILES + 1 else f"{len(paths) - MOST_NAMED_FILES:,} more files"
            )
            yield f"{', '.join(paths[:MOST_NAMED_FILES])} and {more} are left out: {why}"


def _part(path: str, text: str, fits: str) -> AttachmentPart:
    if len(fits) == len(text):
        return AttachmentPart(f"file:{path}", f'<file path="{path}">\n{text}\n</file>', f"{path}, read again")
    note = f"[cut after {len(fits):,} of {len(text):,} characters; read the file for the rest]"
    why = f"{path}, read again and cut"
    remark = f"{path} is cut from {count_tokens(text):,} to {count_tokens(fits):,} tokens"
    return AttachmentPart(f"file:{path}", f'<file path="{path}">\n{fits}\n{note}\n</file>', why, (remark,))


def _paths_read(messages: Sequence[Message], without: frozenset[str]) -> dict[str, None]:
    paths: dict[str, None] = {}
    for message in reversed(messages):
        for block in reversed(message.content):
            path = _path(message, block)
            if path and block.get("id") not in without:
                paths.setdefault(path)
    return paths


def _is_textless(result: Block) -> bool:
    return result.get("is_error") is True or result_text(result).startswith((CLEARED_TEXT, PERSISTED_TAG))


def _path(message: Message, block: Block) -> str:
    """The path that a call read, or that an earlier compaction attached."""
    if message.kind is MessageKind.INJECTED:
        restored = _RESTORED.match(str(block.get("text")))
        return restored[1] if restored else ""
    call_input = block.get("input")
    if block.get("type") != "tool_use" or block.get("name") not in READING_TOOLS or not isinstance(call_input, dict):
        return ""
    path = call_input.get("file_path") or call_input.get("path")
    return path if isinstance(path, str) else ""
