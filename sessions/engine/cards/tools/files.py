"""Reading and changing files: a path and a range, or a diff."""

from __future__ import annotations

from sessions.engine.cards.card import Changes, Part
from sessions.engine.cards.lens import BRIEF, DIFF_LINES, Lens
from sessions.engine.cards.loose import table, tables, text, whole
from sessions.engine.cards.tools.call import Call, Sketch, known
from sessions.engine.diffs import Diff, Hunk, Line, from_patch, from_texts
from sessions.engine.prose import visible
from sessions.engine.words import plural

_MAX_SIDE = 400_000
_MAX_SHOWN_LINE = 300


def read(call: Call, lens: Lens) -> Sketch:
    file = table(call.facts.get("file"))
    path = call.given("file_path", "path", "notebook_path") or text(file.get("filePath"))
    return Sketch(
        summary=lens.line(path),
        facts=known(_range(call), _extent(call), lens.line(text(call.input.get("pages")), 20)),
        parts=lens.output(call.text, BRIEF),
    )


def _range(call: Call) -> str:
    file = table(call.facts.get("file"))
    first = whole(file.get("startLine")) or whole(call.input.get("offset"))
    count = whole(file.get("numLines")) or whole(call.input.get("limit"))
    if first is None and count is None:
        return ""
    first = first or 1
    return f"lines {first}–{first + count - 1}" if count else f"from line {first}"


def _extent(call: Call) -> str:
    file = table(call.facts.get("file"))
    total = whole(file.get("totalLines"))
    if total is not None:
        return f"of {total:,}"
    kind = text(call.facts.get("type"))
    return kind if kind != "text" and len(kind) < 30 else ""


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
            f"+{diff.added} −{diff.removed}" if diff.hunks else "",
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
    whole_file = not call.given("old_string") and bool(call.given("content"))
    hunks: list[Hunk] = []
    for old, new in sides:
        hunks += from_texts(old[:_MAX_SIDE], new[:_MAX_SIDE], numbered=whole_file).hunks
    return Diff(tuple(hunks))


def changes(diff: Diff, lens: Lens) -> tuple[Part, ...]:
    """The first lines of a diff. Words are masked by line: a diff has no text of its own to mask."""
    if not diff.hunks:
        return ()
    limit = lens.lines(DIFF_LINES)
    lens.tally.size += sum(len(line.text) + 1 for hunk in diff.hunks for line in hunk.lines)
    short = diff.head(limit)
    if diff.length > limit:
        lens.tally.cut = True
    hunks = tuple(Hunk(hunk.old, hunk.new, tuple(_shown(line, lens) for line in hunk.lines)) for hunk in short.hunks)
    return (Changes(Diff(hunks), max(0, diff.length - limit)),)


def _shown(line: Line, lens: Lens) -> Line:
    width = 20_000 if lens.whole else _MAX_SHOWN_LINE
    original = line.text
    masked = lens.mask(original[: width + 400])
    if masked == original:
        return Line(line.kind, tuple((visible(text), changed) for text, changed in line.segments))
    if len(original) > width:
        lens.tally.cut = True
        masked = masked[:width] + "…"
    return Line(line.kind, ((visible(masked), False),))
