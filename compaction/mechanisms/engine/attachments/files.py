"""Attaches the latest files again with their current text: the earlier text was in the summarised part, and may be
outdated."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.attachments.file_changes import READING_TOOLS, is_unchanged_stub, path_of
from compaction.mechanisms.engine.attachments.file_history import CALLED, SHOWN, attached_path, touches_of
from compaction.mechanisms.engine.attachments.file_text import FileText
from compaction.mechanisms.engine.attachments.parts import (
    CHARACTERS_PER_TOKEN,
    AttachmentPart,
    as_reminder,
    count_tokens,
    cut_to_tokens,
)
from compaction.mechanisms.engine.attachments.surroundings import ReadFile, Surroundings
from compaction.mechanisms.engine.rules import CompactionRules
from compaction.mechanisms.engine.setting_field import setting
from sessions.imports.engine.scan.content import CLEARED_TEXT, PERSISTED_TAG
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message

INSTRUCTION_FILES = frozenset({"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md"})
MOST_NAMED_FILES = 3
"""How many of the files left out for one reason are named."""
SHOWN_ELSEWHERE = "already in the kept messages"
FORGOTTEN = "read before the client was restarted, which this version does not remember"
_TOO_LARGE = (
    "was read before the last conversation was summarized, but the contents are too large to include. Use Read tool if"
    " you need to access it."
)


@dataclass(frozen=True, slots=True)
class FileConfig:
    enabled: bool = setting(True, "Files that were read or changed last, as they are now.")
    most: int = setting(5, "Files that are attached again, those touched last.", label="Files attached again")
    tokens_each: int = setting(
        5_000, "Tokens of one such file; a longer one is named or cut.", label="Tokens of a file"
    )
    tokens_in_all: int = setting(50_000, "Tokens of all such files.")


def files_touched(messages: Sequence[Message]) -> dict[str, int]:
    """The paths that were read, changed, or attached, with the index of the latest time; the latest first. Files that
    an earlier compaction attached are in the client's order already."""
    order: dict[str, tuple[int, int]] = {}
    touched: dict[str, int] = {}
    group = -1
    for index, message in enumerate(messages):
        path = attached_path(message)
        group = group if path and group >= 0 else index if path else -1
        if path:
            order[path], touched[path] = (group, group - index), index
    for number, (index, call, _) in enumerate(touches_of(messages), 1):
        if (path := path_of(call)) and (index, number) > order.get(path, (-1, 0)):
            order[path], touched[path] = (index, number), index
    return {path: touched[path] for path in sorted(order, key=lambda path: order[path], reverse=True)}


def files_shown(messages: Sequence[Message]) -> frozenset[str]:
    """The paths that were read in these messages, so that their text is in them: not if it was cleared, moved to a
    file, or not repeated."""
    return frozenset(
        path
        for _, call, result in touches_of(messages)
        if call.name in READING_TOOLS
        and not result.startswith((CLEARED_TEXT, PERSISTED_TAG))
        and not is_unchanged_stub(result)
        and (path := path_of(call))
    )


def restore_files(
    messages: Sequence[Message],
    covered: slice,
    surroundings: Surroundings,
    config: FileConfig,
    read_file: ReadFile,
    rules: CompactionRules,
) -> Iterator[AttachmentPart]:
    """One part for each file that fits, followed by remarks about those that do not."""
    restored = _Restored(config, rules)
    before, after = messages[: covered.start], messages[covered.stop :]
    # Files that an earlier compaction attached are attached again after a new summary, unless they come before it.
    shown_paths = files_shown([*before, *after]).union(map(attached_path, before))
    excluded = {surroundings.plan.path if surroundings.plan is not None else "", *surroundings.memory_paths}
    for path, index in files_touched(messages).items():
        position = messages[index].position
        if path in shown_paths and not covered.start <= index < covered.stop:
            restored.leave_out(path, SHOWN_ELSEWHERE)
        elif rules.forgets_reads and position is not None and position < surroundings.process.resumed_at:
            restored.leave_out(path, FORGOTTEN)
        elif path in excluded or posixpath.basename(path) in INSTRUCTION_FILES:
            restored.leave_out(path, "plan and memory files come in another way")
        elif restored.count == config.most:
            restored.leave_out(path, f"at most {plural(config.most, 'file is', 'files are')} attached")
        elif part := restored.part(path, read_file(path)):
            yield part
    if restored.left_out:
        yield AttachmentPart("files-left-out", (), "", tuple(_describe_left_out(restored.left_out)))


@dataclass(slots=True)
class _Restored:
    config: FileConfig
    rules: CompactionRules
    count: int = 0
    spent: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """Why -> paths."""

    def leave_out(self, path: str, why: str) -> None:
        self.left_out.setdefault(why, []).append(path)

    def part(self, path: str, file: FileText | None) -> AttachmentPart | None:
        if (file is not None and file.is_too_large) or self._is_too_large(file):
            self.count += 1
            text = f"Note: {path} {_TOO_LARGE}"
            role = "system" if self.rules.shows_files_as_system else "user"
            texts = (text,) if role == "system" else (as_reminder(text),)
            return AttachmentPart(f"file:{path}", texts, f"{path}, too large to attach")
        if file is None or not file.text.strip():
            self.leave_out(path, file.unknown if file is not None and file.unknown else "nothing is known of the text")
            return None
        room = min(self.config.tokens_each, self.config.tokens_in_all - self.spent)
        if room <= 0:
            self.leave_out(path, f"files may have {self.config.tokens_in_all:,} tokens in all")
            return None
        self.count += 1
        fits = cut_to_tokens(file.text, room)
        self.spent += count_tokens(fits)
        return _part(path, file, fits, self.rules)

    def _is_too_large(self, file: FileText | None) -> bool:
        if file is None or not self.rules.names_large_files or not file.text:
            return False
        return file.least_characters > self.config.tokens_each * CHARACTERS_PER_TOKEN


def _part(path: str, file: FileText, fits: str, rules: CompactionRules) -> AttachmentPart:
    remarks = []
    whole = f"{fits}{file.form.ending}"
    why = f"{path}, as it is now"
    call: dict[str, object] = {"file_path": path}
    if len(fits) < len(file.text):
        whole = f"{fits}\n[cut after {len(fits):,} of {len(file.text):,} characters; read the file for the rest]"
        why = f"{path}, cut"
        remarks = [f"{path} is cut from ~{count_tokens(file.text):,} to ~{count_tokens(fits):,} tokens"]
    elif not file.is_whole and not file.raw:
        first, last = file.parts[0], file.parts[-1]
        call |= {"offset": first.first, "limit": last.end - first.first}
        why = f"{path}, {file.describe_lines()}"
        remarks = [f"of {path}, only {file.describe_lines()} are known"]
    called = f"{CALLED}{json.dumps(call, ensure_ascii=False, separators=(',', ':'))}"
    if rules.shows_files_as_system:
        return AttachmentPart(f"file:{path}", (f"{called}\n{SHOWN}{whole}",), why, tuple(remarks), "system")
    texts = (as_reminder(called), as_reminder(f"{SHOWN}{whole}"))
    return AttachmentPart(f"file:{path}", texts, why, tuple(remarks))


def _describe_left_out(left_out: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Names each file, or only the first of many: a session may have read thousands."""
    for why, paths in left_out.items():
        if len(paths) <= MOST_NAMED_FILES:
            yield from (f"{path} is left out: {why}" for path in paths)
        else:
            more = (
                "1 more file" if len(paths) == MOST_NAMED_FILES + 1 else f"{len(paths) - MOST_NAMED_FILES:,} more files"
            )
            yield f"{', '.join(paths[:MOST_NAMED_FILES])} and {more} are left out: {why}"
