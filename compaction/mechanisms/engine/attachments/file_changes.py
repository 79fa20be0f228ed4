"""What a tool call tells about the text of a file: what it read, or how it changed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compaction.mechanisms.engine.attachments.file_text import FilePart, FileText, LineForm, read_numbered
from compaction.mechanisms.engine.conversation.calls import Call
from sessions.imports.engine.scan.content import CLEARED_TEXT, PERSISTED_TAG

READING_TOOLS = frozenset({"Read", "View", "FileRead"})
EDITING_TOOLS = frozenset({"Edit", "MultiEdit"})
WRITE, NOTEBOOK_EDIT = "Write", "NotebookEdit"
FILE_TOOLS = READING_TOOLS | EDITING_TOOLS | {WRITE, NOTEBOOK_EDIT}
_UNCHANGED = "file unchanged since your last read"
_STUB_CHARACTERS = 200
_NOT_READ = "changed before any of the text was read"
_CELL = "a cell of the notebook was changed"


def path_of(call: Call) -> str:
    """The file of a call; empty if it has none."""
    path = call.input.get("file_path") or call.input.get("notebook_path") or call.input.get("path")
    return path if isinstance(path, str) and call.name in FILE_TOOLS else ""


def is_unchanged_stub(text: str) -> bool:
    """Whether this text stands for a file that was read again without having changed."""
    return len(text) < _STUB_CHARACTERS and _UNCHANGED in text.lower()


def text_after(
    call: Call, result: str, structured: Mapping[str, Any], known: FileText | None
) -> tuple[FileText, LineForm | None]:
    """The text of the file after a call that succeeded, and how its result numbers lines, if it does. `structured`: the
    structured part of the result's record; empty if it has none."""
    if call.name in READING_TOOLS:
        return _text_read(call, result, structured, known)
    if call.name == WRITE:
        content = call.input.get("content")
        return FileText.whole(content) if isinstance(content, str) else FileText(unknown=_NOT_READ), None
    if call.name == NOTEBOOK_EDIT:
        updated = structured.get("updated_file")
        return FileText.whole(updated) if isinstance(updated, str) else FileText(unknown=_CELL), None
    return _text_edited(call, structured, known), None


def _text_read(
    call: Call, result: str, structured: Mapping[str, Any], known: FileText | None
) -> tuple[FileText, LineForm | None]:
    if is_unchanged_stub(result):
        return known or FileText(unknown="only a note that nothing has changed is left"), None
    part, form = read_numbered(result)
    file = structured.get("file")
    if isinstance(file, Mapping) and isinstance(file.get("content"), str) and structured.get("type") == "text":
        return text_of_file(file, known), form if part is not None else None
    if part is None:
        return _text_without_lines(result), None
    asked_for_part = bool({"offset", "limit"} & call.input.keys())
    total = None if asked_for_part else len(part.lines)
    return (known or FileText()).with_part(part, total or (known.total if known else None)), form


def text_of_file(file: Mapping[str, Any], known: FileText | None) -> FileText:
    """The text of some lines of a recorded file, and the number of all lines."""
    lines = tuple(file["content"].split("\n"))
    first, total = file.get("startLine"), file.get("totalLines")
    first = first if isinstance(first, int) and first > 0 else 1
    total = total if isinstance(total, int) else None
    if total is not None and first == 1 and file.get("numLines", 0) >= total:
        return FileText((FilePart(1, lines),), len(lines))
    if known is not None and known.total is not None and total is not None and known.total != total:
        known = None  # it was changed in between, so its other lines may differ
    return (known or FileText()).with_part(FilePart(first, lines), total)


def _text_without_lines(result: str) -> FileText:
    if result.startswith("<cell"):
        return FileText(raw=result)
    if result.startswith(CLEARED_TEXT):
        return FileText(unknown="the result that showed the text was cleared")
    if result.startswith(PERSISTED_TAG):
        return FileText(unknown="the result that showed the text was moved to a file")
    return FileText(unknown="no text, such as a picture" if result.strip() else "empty")


def _text_edited(call: Call, structured: Mapping[str, Any], known: FileText | None) -> FileText:
    original = structured.get("originalFile")
    text = FileText.whole(original) if isinstance(original, str) else known
    for old, new, everywhere in _replacements(call):
        if not old and not isinstance(original, str):
            text = FileText.whole(new)  # a file that this call creates
            continue
        edited = text.edited(old, new, everywhere=everywhere) if text is not None else None
        if edited is None:
            return _apply_hunks(original, structured.get("structuredPatch")) or FileText(unknown=_NOT_READ)
        text = edited
    return text or FileText(unknown=_NOT_READ)


def _replacements(call: Call) -> Iterator[tuple[str, str, bool]]:
    edits = call.input.get("edits")
    for edit in edits if isinstance(edits, list) else [call.input]:
        if isinstance(edit, Mapping):
            old, new = edit.get("old_string"), edit.get("new_string")
            if isinstance(old, str) and isinstance(new, str):
                yield old, new, edit.get("replace_all") is True


def _apply_hunks(original: object, hunks: object) -> FileText | None:
    """The text after the changes in a record, whose quotes and white space may differ from those of the call."""
    if not isinstance(original, str) or not isinstance(hunks, Sequence):
        return None
    lines, result, position = original.split("\n"), list[str](), 0
    for hunk in hunks:
        start = hunk.get("oldStart", 0) - 1
        result += lines[position:start]
        result += [line[1:] for line in hunk.get("lines", ()) if line[:1] in "+ "]
        position = start + hunk.get("oldLines", 0)
    return FileText.whole("\n".join([*result, *lines[position:]]))
