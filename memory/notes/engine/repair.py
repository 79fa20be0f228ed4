"""Restores headings and guidance, which an update must not change. The notes themselves stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory.notes.engine.sections import Section, open_fence, sections_of


class NotesBrokenError(ValueError):
    """The notes cannot be assigned to sections. The text is a sentence."""


@dataclass(frozen=True, slots=True)
class RepairedNotes:
    text: str
    repairs: tuple[str, ...] = ()
    """A sentence for each thing that was put back."""


def repair_notes(before: str, after: str) -> RepairedNotes:
    """`after` with the headings and the guidance of `before`, in their order."""
    frame = _titled_sections(sections_of(before))
    titles = [section.title for section in frame]
    sections = sections_of(after, titles)
    present = [section.title for section in sections if section.title in titles]
    if not titles:
        raise NotesBrokenError("The notes have no headings, so nothing can be noted below them.")
    if not present:
        raise NotesBrokenError("None of the headings is left, so the notes stay as they were.")
    repairs: list[str] = []
    bodies = _bodies(sections, titles, repairs)
    if list(dict.fromkeys(present)) != [title for title in titles if title in present]:
        repairs.append("The sections were in another order; it was put back.")
    for section in frame:
        if section.title not in bodies:
            repairs.append(f"The section “{section.title}” was gone; it was put back as it was.")
            bodies[section.title] = [section.body]
    guidance = {section.title: section.guidance for section in _titled_sections(sections)}
    for section in frame:
        if guidance.get(section.title, section.guidance) != section.guidance:
            repairs.append(f"The guidance of “{section.title}” was changed; it was put back.")
    text = _write(
        frame, {title: "\n\n".join(map(_close_fence, filter(None, parts))) for title, parts in bodies.items()}
    )
    return RepairedNotes(text, tuple(dict.fromkeys(repairs)))


def fill_notes(notes: str, bodies: Mapping[str, str]) -> str:
    """The notes with these texts in the sections of the given titles; the other sections stay."""
    frame = _titled_sections(sections_of(notes))
    return _write(frame, {section.title: _close_fence(bodies.get(section.title) or section.body) for section in frame})


def _close_fence(text: str) -> str:
    """Closes an open code block, which would swallow the headings that follow."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text


def _titled_sections(sections: Iterable[Section]) -> list[Section]:
    """The first section of each title."""
    by_title: dict[str, Section] = {}
    for section in sections:
        if section.title:
            by_title.setdefault(section.title, section)
    return list(by_title.values())


def _bodies(sections: tuple[Section, ...], titles: list[str], repairs: list[str]) -> dict[str, list[str]]:
    """The notes by heading. An additional heading is put one level lower, in the section before it."""
    bodies: dict[str, list[str]] = {}
    current = next(section.title for section in sections if section.title in titles)
    for section in sections:
        if section.title in titles:
            current = section.title
            bodies.setdefault(current, []).append(section.body)
        elif section.title:
            repairs.append(f"The heading “{section.title}” is none of the template; it stands in “{current}” now.")
            bodies.setdefault(current, []).append(f"## {section.title}\n\n{section.body}".strip())
        elif section.body:
            repairs.append(f"What stood before the first heading stands in “{current}” now.")
            bodies.setdefault(current, []).append(section.body)
    return bodies


def _write(frame: list[Section], bodies: Mapping[str, str]) -> str:
    parts = []
    for section in frame:
        head = f"# {section.title}\n" + (f"{section.guidance}\n" if section.guidance else "")
        body = bodies.get(section.title, "")
        parts.append(f"{head}\n{body}\n" if body else head)
    return "\n".join(parts)
