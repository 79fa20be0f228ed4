"""What an update may not touch: headings and guidance. They are put back where it has, and what was noted
stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory.notes.engine.sections import Section, open_fence, sections_of


class NotesBrokenError(ValueError):
    """There is no telling what belongs where. The text is a sentence."""


@dataclass(frozen=True, slots=True)
class Checked:
    text: str
    repairs: tuple[str, ...] = ()
    """A sentence for each thing that was put back."""


def checked(before: str, after: str) -> Checked:
    """`after` with the headings and the guidance of `before`, in their order."""
    frame = _titled(sections_of(before))
    wanted = [section.title for section in frame]
    made = sections_of(after, wanted)
    there = [section.title for section in made if section.title in wanted]
    if not wanted:
        raise NotesBrokenError("The notes have no headings, so nothing can be noted below them.")
    if not there:
        raise NotesBrokenError("None of the headings is left, so the notes stay as they were.")
    repairs: list[str] = []
    bodies = _bodies(made, wanted, repairs)
    if list(dict.fromkeys(there)) != [title for title in wanted if title in there]:
        repairs.append("The sections were in another order; it was put back.")
    for section in frame:
        if section.title not in bodies:
            repairs.append(f"The section “{section.title}” was gone; it was put back as it was.")
            bodies[section.title] = [section.body]
    guidance = {section.title: section.guidance for section in _titled(made)}
    for section in frame:
        if guidance.get(section.title, section.guidance) != section.guidance:
            repairs.append(f"The guidance of “{section.title}” was changed; it was put back.")
    text = _written(frame, {title: "\n\n".join(map(_closed, filter(None, parts))) for title, parts in bodies.items()})
    return Checked(text, tuple(dict.fromkeys(repairs)))


def filled(notes: str, bodies: Mapping[str, str]) -> str:
    """The notes with these texts in the sections of that title; where there is none, what was noted stays."""
    frame = _titled(sections_of(notes))
    return _written(frame, {one.title: _closed(bodies.get(one.title) or one.body) for one in frame})


def _closed(text: str) -> str:
    """A block of code that is left open would swallow the headings that follow."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text


def _titled(sections: Iterable[Section]) -> list[Section]:
    """The first section of each title."""
    found: dict[str, Section] = {}
    for section in sections:
        if section.title:
            found.setdefault(section.title, section)
    return list(found.values())


def _bodies(made: tuple[Section, ...], wanted: list[str], repairs: list[str]) -> dict[str, list[str]]:
    """What was noted under which heading. A heading of its own stands one step lower, in the section before it."""
    bodies: dict[str, list[str]] = {}
    here = next(section.title for section in made if section.title in wanted)
    for section in made:
        if section.title in wanted:
            here = section.title
            bodies.setdefault(here, []).append(section.body)
        elif section.title:
            repairs.append(f"The heading “{section.title}” is none of the template; it stands in “{here}” now.")
            bodies.setdefault(here, []).append(f"## {section.title}\n\n{section.body}".strip())
        elif section.body:
            repairs.append(f"What stood before the first heading stands in “{here}” now.")
            bodies.setdefault(here, []).append(section.body)
    return bodies


def _written(frame: list[Section], bodies: Mapping[str, str]) -> str:
    parts = []
    for section in frame:
        head = f"# {section.title}\n" + (f"{section.guidance}\n" if section.guidance else "")
        body = bodies.get(section.title, "")
        parts.append(f"{head}\n{body}\n" if body else head)
    return "\n".join(parts)
