"""The merge page: somebody else changed a file meanwhile. Shows both changes and asks how to resolve conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse, QueryDict

from inspector.web.htmx import HtmxRequest, render_page
from memory.files.engine.clash import Clash, encode_merged
from memory.files.engine.merging import AgreedLines, Choice, Conflict
from memory.files.engine.newlines import text_for_editing
from memory.files.views.page_frame import CONFLICT, page_context
from memory.models import Batch, Directory
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible

CHOICES = frozenset(str(choice) for choice in Choice)
CONTEXT = 3
"""Unchanged lines to show around a change."""


@dataclass(frozen=True, slots=True)
class MergePart:
    """A part of the merged text. `number`: of the conflict; None if there is none."""

    origin: str
    lines: tuple[str, ...]
    number: int | None = None
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ClashView:
    clash: Clash
    key: str
    parts: list[MergePart]
    conflicts: int
    is_whole: bool
    """No merge is possible: one side has to be taken as a whole."""
    current_digest: str


def clash_page(
    request: HtmxRequest,
    directory: Directory,
    clashes: Sequence[Clash],
    *,
    draft: object = None,
    undoing: Batch | None = None,
    wrong: str = "",
) -> HttpResponse:
    """`draft`: an edit that met another one; `undoing`: a change that is to be undone."""
    context = {
        **page_context(request, directory, "topics"),
        "clashes": [_clash_view(clash) for clash in clashes],
        "draft": draft,
        "undoing": undoing,
        "wrong": wrong,
    }
    response = render_page(request, "memory/files/conflict.html", context)
    response.status_code = CONFLICT
    return response


def merged_text(posted: QueryDict, clash: Clash) -> str | None:
    """The merged text for the editor; None if a choice is missing."""
    data = merged_bytes(posted, clash)
    return None if data is None else text_for_editing(data)


def merged_bytes(posted: QueryDict, clash: Clash) -> bytes | None:
    """None if a choice is missing, or if the choice is to delete the file."""
    merge = clash.merge
    if merge is None:
        side = posted.get(f"side-{clash.key}", "")
        return clash.ours if side == "ours" else clash.theirs if side == "theirs" else None
    chosen = [posted.get(f"choice-{clash.key}-{number}", "") for number in range(len(merge.conflicts))]
    if any(choice not in CHOICES for choice in chosen):
        return None
    return encode_merged(merge.text([Choice(choice) for choice in chosen]))


def is_chosen(posted: QueryDict, clash: Clash) -> bool:
    if clash.merge is None:
        return posted.get(f"side-{clash.key}") in ("ours", "theirs")
    return merged_bytes(posted, clash) is not None


def _clash_view(clash: Clash) -> ClashView:
    merge = clash.merge
    current_digest = clash.expected or "gone"
    if merge is None:
        return ClashView(clash, str(clash.key), [], 0, True, current_digest)
    parts: list[MergePart] = []
    number = 0
    for part in merge.parts:
        if isinstance(part, Conflict):
            parts.append(
                MergePart(
                    "conflict",
                    (),
                    number,
                    _displayable_lines(part.ours),
                    _displayable_lines(part.theirs),
                    _displayable_lines(part.base),
                )
            )
            number += 1
        else:
            parts += _agreed_parts(part)
    return ClashView(clash, str(clash.key), parts, number, False, current_digest)


def _agreed_parts(part: AgreedLines) -> list[MergePart]:
    lines = _displayable_lines(part.lines)
    if part.origin != "unchanged" or len(lines) <= 2 * CONTEXT + 1:
        return [MergePart(part.origin.value, lines)]
    left_out = len(lines) - 2 * CONTEXT
    return [
        MergePart("unchanged", lines[:CONTEXT]),
        MergePart("left-out", (), left_out=left_out),
        MergePart("unchanged", lines[-CONTEXT:]),
    ]


def _displayable_lines(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(spell_invisible(mask(line.rstrip("\r\n"))) for line in lines)
