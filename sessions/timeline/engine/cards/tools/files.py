"""Reading and changing files: a path and a range, or a diff."""

from __future__ import annotations

from dataclasses import replace

from sessions.text.engine.diffs import (
    Diff,
    Hunk,
    from_patch,
    from_texts,
    mark_words,
    plain_line,
)
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.text.engine.words import plural
from sessions.timeline.engine.cards.card import Changes, Part
from sessions.timeline.engine.cards.lens import BRIEF, DIFF_LINES, Lens
from sessions.timeline.engine.cards.safe_get import (
    table,
    tables,
    text,
    whole,
)
from sessions.timeline.engine.cards.tools.call import Call, Sketch, known

_MAX_SIDE = 400_000
_SHOWN_WIDTH = 300
_MAX_WIDTH = 20_000


def read(call: Call, lens: Lens) -> Sketch:
    file = table(call.facts.get("file"))
    path = call.given("file_path", "path", "notebook_path") or text(file.get("filePath"))
    kind = text(call.facts.get("type"))
    return Sketch(
        summary=lens.line(path),
        facts=known(
            _range(call),
            lens.line(kind, 30) if kind != "text" else "",
            lens.line(call.given("pages"), 20),
        ),
        parts=lens.output(call.text, BRIEF),
        folded=True,
    )


def _range(call: Call) -> str:
    """Which lines were read: as recorded with the result, or else as asked for."""
    file = table(call.facts.get("file"))
    first = whole(file.get("startLine")) or whole(call.input.get("offset")) or 1
    count = whole(file.get("numLines")) or whole(call.input.get("limit"))
    total = whole(file.get("totalLines"))
    if count is None:
        return f"from line {first:,}" if first > 1 else ""
    if first == 1 and count == total:
        return plural(count, "line")
    return f"lines {first:,}–{first + count - 1:,}" + (f" of {total:,}" if total is not None else "")


def change(call: Call, lens: Lens) -> Sketch:
    """Edit, MultiEdit, Write, NotebookEdit: what the call did, or meant to do, to one file."""
    facts = call.facts
    path = call.given("file_path", "notebook_path", "path") or text(facts.get("filePath"))
    diff = from_patch(facts.get("structuredPatch")) or _computed(call)
    edits = len(tables(call.input.get("edits")))
    return Sketch(
        summary=lens.line(path),
        facts=known(
            "new file" if facts.get("type") == "create" else "",
            " ".join(known(f"+{diff.added}" if diff.added else "", f"−{diff.removed}" if diff.removed else "")),
            plural(edits, "edit") if edits else "",
            "every occurrence" if call.input.get("replace_all") is True else "",
            lens.line(call.given("edit_mode"), 20),
            "changed by the user" if facts.get("userModified") is True else "",
        ),
        parts=changes(diff, lens),
    )


def _computed(call: Call) -> Diff:
    sides = [(call.given("old_string", "old_source"), call.given("new_string", "new_source", "content"))]
    sides += [(text(edit.get("old_string")), text(edit.get("new_string"))) for edit in tables(call.input.get("edits"))]
    hunks: list[Hunk] = []
    for old, new in sides:
        hunks += from_texts(old[:_MAX_SIDE], new[:_MAX_SIDE]).hunks
    return Diff(tuple(hunks))


def changes(diff: Diff, lens: Lens) -> tuple[Part, ...]:
    """The first lines of a diff, masked, and their changed words marked."""
    if not diff.hunks:
        return ()
    limit = lens.few(DIFF_LINES)
    lens.tally.size += sum(len(line.text) + 1 for hunk in diff.hunks for line in hunk.lines)
    if diff.length > limit:
        lens.tally.cut = True
    return (Changes(Diff(tuple(mark_words(_masked(_narrow(hunk, lens), lens)) for hunk in diff.head(limit).hunks))),)


def _narrow(hunk: Hunk, lens: Lens) -> Hunk:
    width = _MAX_WIDTH if lens.whole else max(80, int(_SHOWN_WIDTH * lens.scale))
    if all(len(line.text) <= width for line in hunk.lines):
        return hunk
    lens.tally.cut = True
    lines = (line if len(line.text) <= width else plain_line(line.kind, line.text[:width] + "…") for line in hunk.lines)
    return replace(hunk, lines=tuple(lines))


def _masked(hunk: Hunk, lens: Lens) -> Hunk:
    """Masked as one text, because a key spans lines. Where that changes the number of lines, their kind is lost."""
    original = "\n".join(line.text for line in hunk.lines)
    masked = spell_invisible(lens.mask(original))
    if masked == original:
        return hunk
    texts = masked.split("\n")
    kinds = [line.kind for line in hunk.lines] if len(texts) == len(hunk.lines) else [" "] * len(texts)
    return replace(hunk, lines=tuple(map(plain_line, kinds, texts)))
