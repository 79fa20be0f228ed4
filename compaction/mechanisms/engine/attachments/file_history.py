"""The files of a conversation after its last message, as far as the conversation tells: what was read, what was edited
and written since, and where a text is no longer known.

Nothing is read from the disk: the paths in a transcript could name any file of the person who opens it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compaction.mechanisms.engine.attachments.file_changes import path_of, text_after, text_of_file
from compaction.mechanisms.engine.attachments.file_text import FileText, LineForm, read_numbered
from compaction.mechanisms.engine.conversation.calls import Call, calls_of, result_text, results_of
from sessions.transcripts.engine.messages import Message, MessageKind

Records = Callable[[Message], Mapping[str, Any] | None]
"""The record that a message comes from; None if there is none."""

COMMAND_TOOLS = frozenset({"Bash", "PowerShell"})
CALLED = "Called the Read tool with the following input: "
SHOWN = "Result of calling the Read tool:\n"
_ATTACHED = re.compile(re.escape(CALLED) + r"(\{[^\n]*\})")
_REFERENCE = re.compile(r"Note: (.+?) was read before the last ")
_WRITES = re.compile(
    r"\bsed\s+(-\S+\s+)*-\w*i|(?<![0-9&])>|\b(mv|cp|rm|tee|patch|truncate|rsync)\b|--(fix|write|in-place)\b"
)
_REWRITES = re.compile(
    r"\bgit\s+(-\S+\s+)*(checkout|restore|reset|stash|pull|merge|rebase|apply|revert|cherry-pick|switch|clean|am)\b"
)
_OUTSIDE = "changed outside of the session since"


def no_records(message: Message) -> Mapping[str, Any] | None:
    return None


def touches_of(messages: Sequence[Message]) -> Iterator[tuple[int, Call, str]]:
    """The index of each result that is no error, its call, and its text, in order."""
    calls = calls_of(messages)
    for result in results_of(messages):
        call = calls.get(result.tool_use_id)
        if call is not None and result.block.get("is_error") is not True:
            yield result.message_index, call, result_text(result.block)


def attached_path(message: Message) -> str:
    """The file that the client attached with this message, or named as too large."""
    if message.kind is not MessageKind.INJECTED or not message.content:
        return ""
    words = str(message.content[0].get("text", ""))
    if match := _ATTACHED.search(words):
        try:
            path = json.loads(match[1]).get("file_path")
        except ValueError:
            return ""
        return path if isinstance(path, str) else ""
    reference = _REFERENCE.search(words)
    return reference[1] if reference else ""


@dataclass(slots=True)
class FileHistory:
    records: Records = no_records
    texts: dict[str, FileText] = field(default_factory=dict)
    form: LineForm = field(default_factory=LineForm)
    """Of the latest result that numbers lines."""

    @classmethod
    def of(cls, messages: Sequence[Message], records: Records = no_records) -> FileHistory:
        history = cls(records)
        touches: dict[int, list[tuple[Call, str]]] = {}
        for index, call, result in touches_of(messages):
            touches.setdefault(index, []).append((call, result))
        for index, message in enumerate(messages):
            if message.kind is MessageKind.INJECTED:
                history.feed_attachment(message)
            for call, result in touches.get(index, ()):
                history.feed_result(message, call, result)
        return history

    def read(self, path: str) -> FileText | None:
        """The text of a file, as far as it is known; None if nothing is known."""
        text = self.texts.get(path)
        return replace(text, form=self.form) if text is not None else None

    def feed_result(self, message: Message, call: Call, result: str) -> None:
        if call.name in COMMAND_TOOLS:
            self.feed_command(str(call.input.get("command", "")))
        if not (path := path_of(call)):
            return
        record = self.records(message)
        structured = record.get("toolUseResult") if record is not None else None
        known = self.texts.get(path)
        text, form = text_after(call, result, structured if isinstance(structured, Mapping) else {}, known)
        self.texts[path], self.form = text, form or self.form

    def feed_command(self, command: str) -> None:
        """Notes that a command may have changed files, in unknown lines."""
        rewrites, writes = _REWRITES.search(command), _WRITES.search(command)
        for path, text in self.texts.items():
            if rewrites or (writes and posixpath.basename(path) in command):
                words = " ".join(command.split())
                shown = f"{words[:60]}…" if len(words) > 60 else words
                self.texts[path] = FileText(unknown=f"possibly changed by a command since ({shown})", total=text.total)

    def feed_attachment(self, message: Message) -> None:
        if message.attachment == "edited_text_file":
            self._feed_outside_edit(message)
        elif path := attached_path(message):
            self._feed_attached_file(message, path)

    def _feed_attached_file(self, message: Message, path: str) -> None:
        """A file that the client has attached, after a compaction or for a prompt that names it."""
        record = self.records(message) or {}
        file = record.get("attachment", {}).get("content", {})
        file = file.get("file") if isinstance(file, Mapping) else None
        known = self.texts.get(path)
        if isinstance(file, Mapping) and isinstance(file.get("content"), str):
            self.texts[path] = text_of_file(file, known)
            return
        words = "\n".join(str(block.get("text", "")) for block in message.content)
        part = read_numbered(words.partition(SHOWN)[2])[0]
        if part is not None:
            is_whole = part.first == 1 and '"offset"' not in words.partition("\n")[0]
            total = len(part.lines) if is_whole else known.total if known else None
            self.texts[path] = (known or FileText()).with_part(part, total)
        elif known is None:
            self.texts[path] = FileText(is_too_large=True)
        else:
            self.texts[path] = replace(known, is_too_large=True)

    def _feed_outside_edit(self, message: Message) -> None:
        """Only the lines around the change are shown."""
        attachment = (self.records(message) or {}).get("attachment", {})
        path = attachment.get("filename")
        if isinstance(path, str):
            part = read_numbered(str(attachment.get("snippet", "")))[0]
            outside = FileText(unknown=_OUTSIDE)
            self.texts[path] = outside if part is None else outside.with_part(part, None)
