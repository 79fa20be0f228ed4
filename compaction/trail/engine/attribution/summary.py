"""A summary by its sections: the nine or ten that the client asks for, headings of notes, or none at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.compaction.continuation import OPENING, OPENING_AFTER_KEPT
from compaction.mechanisms.engine.full.prompt import SECTIONS
from compaction.mechanisms.engine.mechanical.summary import LABEL
from compaction.trail.engine.attribution.sentences import Form, Sentence, sentences_in

LONGEST = 200_000
"""Characters that are read sentence by sentence; what follows is one piece."""

DRAFT = "Analysis"
_NUMBERED = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:\*\*)?(\d{1,2})[.)][ \t]+(?:\*\*)?([^\n]{1,120})$")
_MARKED = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+([^\n]{1,200})$")
_LABELLED = re.compile(r"(Analysis|Summary):[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_TAG = re.compile(r"</?(?:analysis|summary)>", re.IGNORECASE)
_NEAR = 60
"""So many lines from the top, a label still ends what the client says first."""
_BEFORE = ("This session is being continued from a previous conversation", OPENING, OPENING_AFTER_KEPT)
_AFTER = (
    "If you need specific details from before compaction",
    "Where the exact words, code or output from before are needed",
    "Please continue the conversation from where we left off",
    "Please continue the conversation from where you left off",
    "Continue the conversation from where it left off",
    "Go on with the task that was under way",
    "Recent messages are preserved verbatim.",
    "The messages after this one are the latest of the conversation",
    "The messages after this summary are the most recent",
)
"""How the client's words behind a summary begin, and ours."""
_TITLES = frozenset(section.title.lower() for sections in SECTIONS.values() for section in sections)
_SPOKEN = "user messages"


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    """Without its number; empty for what stands under no heading."""
    sentences: tuple[Sentence, ...] = ()
    frame: bool = False
    """Words around the summary, of the client or of whoever put it together: they come from no message."""

    @property
    def spoken(self) -> bool:
        """Lists what the user has said."""
        return _SPOKEN in self.title.lower()


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    title: str
    said: str = ""
    """What stands behind the title in its line."""


def sections_of(summary: str) -> tuple[Section, ...]:
    """The sections in their order; together they hold all sentences, numbered from 1."""
    opening, body, closing = _framed(_TAG.sub("", summary[:LONGEST]))
    sections: list[Section] = []
    number = 1
    for title, text, frame in (("", opening, True), *_titled(body), ("", closing, True)):
        found = sentences_in(text, whole=_SPOKEN in title.lower(), first=number)
        if found or title:
            sections.append(Section(title, tuple(found), frame or text.strip() == LABEL))
        number += len(found)
    if rest := summary[LONGEST:]:
        sections.append(Section("", (Sentence(number, rest, Form.CODE),), frame=True))
    return tuple(sections)


def _framed(text: str) -> tuple[str, str, str]:
    """The client's words before the summary, the summary, and the client's words behind it."""
    lines = text.splitlines(keepends=True)
    start = 0
    if text.startswith(_BEFORE):
        labels = (at for at, line in enumerate(lines[:_NEAR]) if _LABELLED.match(line))
        start = next(labels, 1)
    ends = (at for at in range(start, len(lines)) if lines[at].startswith(_AFTER))
    end = next(ends, len(lines))
    return "".join(lines[:start]), "".join(lines[start:end]), "".join(lines[end:])


def _titled(body: str) -> list[tuple[str, str, bool]]:
    lines = body.splitlines(keepends=True)
    plain = [line.rstrip("\r\n") for line in lines]
    headings = _numbered(plain) or _marked(plain)
    ends = [*(heading.line for heading in headings), len(lines)]
    parts = [("", "".join(lines[: ends[0]]), False)]
    for heading, end in zip(headings, ends[1:], strict=True):
        parts.append((heading.title, heading.said + "\n" + "".join(lines[heading.line + 1 : end]), False))
    return parts


def _numbered(lines: Sequence[str]) -> list[_Heading]:
    """The sections of a summary have numbers that go on, and titles. So may lists in it, but not those titles."""
    found: list[_Heading] = []
    draft, due = False, 1
    for at, line in _outside_code(lines):
        if (label := _LABELLED.match(line)) is not None:
            draft, due = label[1] == DRAFT, 1
            found.append(_Heading(at, DRAFT if draft else ""))
        elif not draft and (numbered := _NUMBERED.match(line)) is not None:
            title, _, said = numbered[2].partition(":")
            title, said = title.strip(" *"), said.strip(" *")
            alone = not said and numbered[2].rstrip().endswith((":", "**"))
            if title.lower() in _TITLES or (int(numbered[1]) == due and alone):
                found.append(_Heading(at, title, said))
                due = int(numbered[1]) + 1
    return found


def _marked(lines: Sequence[str]) -> list[_Heading]:
    marked = [(at, found) for at, line in _outside_code(lines) if (found := _MARKED.match(line)) is not None]
    highest = min((len(found[1]) for _, found in marked), default=0)
    return [_Heading(at, found[2].strip(" *#")) for at, found in marked if len(found[1]) == highest]


def _outside_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    fence = ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif mark is not None:
            fence = mark[1]
        else:
            yield at, line
