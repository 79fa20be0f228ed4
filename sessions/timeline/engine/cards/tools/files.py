"""Tools that read and change files: a path and a range of lines, or a diff."""

from __future__ import annotations

from dataclasses import replace

from sessions.text.engine.diffs import Diff, Hunk, from_patch, from_texts, mark_words, plain_line
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.card import Changes, Part
from sessions.timeline.engine.cards.lens import BRIEF, DIFF_LINES, Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_dicts, as_int, as_text
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, drop_empty

_MAX_SIDE = 400_000
_LINE_WIDTH = 300
_MAX_WIDTH = 20_000


def describe_read(call: Call, lens: Lens) -> CallDescription:
    file = as_dict(call.facts.get("file"))
    path = call.input_text("file_path", "path", "notebook_path") or as_text(file.get("filePath"))
    kind = as_text(call.facts.get("type"))
    return CallDescription(
        summary=lens.line(path),
        facts=drop_empty(
            _line_range(call), lens.line(kind, 30) if kind != "text" else "", lens.line(call.input_text("pages"), 20)
        ),
        parts=lens.output(call.text, BRIEF),
        folded=True,
    )


def _line_range(call: Call) -> str:
    """Which lines were read, according to the result or else the call."""
    file = as_dict(call.facts.get("file"))
    first = as_int(file.get("startLine")) or as_int(call.input.get("offset")) or 1
    count = as_int(file.get("numLines")) or as_int(call.input.get("limit"))
    total = as_int(file.get("totalLines"))
    if count is None:
        return f"from line {first:,}" if first > 1 else ""
    if first == 1 and count == total:
        return plural(count, "line")
    return f"lines {first:,}–{first + count - 1:,}" + (f" of {total:,}" if total is not None else "")


def describe_change(call: Call, lens: Lens) -> CallDescription:
    """Edit, MultiEdit, Write, NotebookEdit: the change that was made, or was to be made."""
    facts = call.facts
    path = call.input_text("file_path", "notebook_path", "path") or as_text(facts.get("filePath"))
    diff = from_patch(facts.get("structuredPatch")) or _diff_inputs(call)
    edits = len(as_dicts(call.input.get("edits")))
    return CallDescription(
        summary=lens.line(path),
        facts=drop_empty(
            "new file" if facts.get("type") == "create" else "",
            " ".join(drop_empty(f"+{diff.added}" if diff.added else "", f"−{diff.removed}" if diff.removed else "")),
            plural(edits, "edit") if edits else "",
            "every occurrence" if call.input.get("replace_all") is True else "",
            lens.line(call.input_text("edit_mode"), 20),
            "changed by the user" if facts.get("userModified") is True else "",
        ),
        parts=diff_parts(diff, lens),
    )


def _diff_inputs(call: Call) -> Diff:
    sides = [(call.input_text("old_string", "old_source"), call.input_text("new_string", "new_source", "content"))]
    sides += [
        (as_text(edit.get("old_string")), as_text(edit.get("new_string"))) for edit in as_dicts(call.input.get("edits"))
    ]
    hunks: list[Hunk] = []
    for old, new in sides:
        hunks += from_texts(old[:_MAX_SIDE], new[:_MAX_SIDE]).hunks
    return Diff(tuple(hunks))


def diff_parts(diff: Diff, lens: Lens) -> tuple[Part, ...]:
    """The first lines of a diff, masked, with changed words marked."""
    if not diff.hunks:
        return ()
    limit = lens.item_limit(DIFF_LINES)
    lens.tally.size += sum(len(line.text) + 1 for hunk in diff.hunks for line in hunk.lines)
    if diff.length > limit:
        lens.tally.cut = True
    return (
        Changes(Diff(tuple(mark_words(_mask_hunk(_cut_lines(hunk, lens), lens)) for hunk in diff.head(limit).hunks))),
    )


def _cut_lines(hunk: Hunk, lens: Lens) -> Hunk:
    width = _MAX_WIDTH if lens.whole else max(80, int(_LINE_WIDTH * lens.scale))
    if all(len(line.text) <= width for line in hunk.lines):
        return hunk
    lens.tally.cut = True
    lines = (line if len(line.text) <= width else plain_line(line.kind, line.text[:width] + "…") for line in hunk.lines)
    return replace(hunk, lines=tuple(lines))


def _mask_hunk(hunk: Hunk, lens: Lens) -> Hunk:
    """Masks a hunk as one text, because a key spans lines. If the number of lines changes, their kinds are lost."""
    original = "\n".join(line.text for line in hunk.lines)
    masked = spell_invisible(lens.mask(original))
    if masked == original:
        return hunk
    texts = masked.split("\n")
    kinds = [line.kind for line in hunk.lines] if len(texts) == len(hunk.lines) else [" "] * len(texts)
    return replace(hunk, lines=tuple(map(plain_line, kinds, texts)))
