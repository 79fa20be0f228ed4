"""The files that were read last, read again: their text in the summarised part is gone, and may be outdated."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compaction.engine.attachments.parts import Part, cut_to, tokens_of
from compaction.engine.attachments.surroundings import ReadFile, Surroundings
from sessions.engine.messages import Block, Kind, Message

READING = frozenset({"Read", "View", "FileRead"})
INSTRUCTION_FILES = frozenset({"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md"})
_RESTORED = re.compile(r'<file path="([^"\n]+)">')


@dataclass(frozen=True, slots=True)
class FileConfig:
    enabled: bool = True
    most: int = 5
    tokens_each: int = 5_000
    tokens_in_all: int = 50_000


def files_read(messages: Sequence[Message]) -> tuple[str, ...]:
    """The paths that were read, the latest first."""
    paths: dict[str, None] = {}
    for message in reversed(messages):
        for block in reversed(message.content):
            path = _path(message, block)
            if path:
                paths.setdefault(path)
    return tuple(paths)


def restored_files(
    covered: Sequence[Message],
    kept: Sequence[Message],
    surroundings: Surroundings,
    config: FileConfig,
    read_file: ReadFile,
) -> Iterator[Part]:
    """One part for each file that fits, then the remarks about those that do not."""
    shown = set(files_read(kept))
    plan = surroundings.plan.path if surroundings.plan is not None else ""
    memory = set(surroundings.memory_paths)
    left, files, spent = [], 0, 0
    for path in files_read(covered):
        if path in shown:
            left.append(f"{path} is left out: it stands in the kept messages")
            continue
        if path == plan or path in memory or posixpath.basename(path) in INSTRUCTION_FILES:
            left.append(f"{path} is left out: plan and memory files come in another way")
            continue
        if files == config.most:
            left.append(f"{path} is left out: {config.most} files are restored")
            continue
        text = read_file(path)
        if text is None or not text.strip():
            left.append(f"{path} is left out: it is empty or cannot be read any more")
            continue
        room = min(config.tokens_each, config.tokens_in_all - spent)
        if room <= 0:
            left.append(f"{path} is left out: {config.tokens_in_all:,} tokens of files are restored")
            continue
        files += 1
        fits = cut_to(text, room)
        spent += tokens_of(fits)
        yield _part(path, text, fits)
    if left:
        yield Part("files-left-out", "", "", tuple(left))


def _part(path: str, text: str, fits: str) -> Part:
    if len(fits) == len(text):
        return Part(f"file:{path}", f'<file path="{path}">\n{text}\n</file>', f"{path}, read again")
    note = f"[cut after {len(fits):,} of {len(text):,} characters; read the file for the rest]"
    why = f"{path}, read again and cut"
    remark = f"{path} is cut from {tokens_of(text):,} to {tokens_of(fits):,} tokens"
    return Part(f"file:{path}", f'<file path="{path}">\n{fits}\n{note}\n</file>', why, (remark,))


def _path(message: Message, block: Block) -> str:
    """Read by a call, or handed over again after an earlier compaction."""
    if message.kind is Kind.INJECTED:
        restored = _RESTORED.match(str(block.get("text")))
        return restored[1] if restored else ""
    given = block.get("input")
    if block.get("type") != "tool_use" or block.get("name") not in READING or not isinstance(given, dict):
        return ""
    path = given.get("file_path") or given.get("path")
    return path if isinstance(path, str) else ""
