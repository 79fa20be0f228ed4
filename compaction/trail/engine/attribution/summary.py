"""Splits a summary into sections: the nine or ten that the client asks for, headings of notes, or none at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.compaction.continuation import OPENING, OPENING_AFTER_KEPT
from compaction.mechanisms.engine.full.prompt import SECTIONS
from compaction.mechanisms.engine.mechanical import LABEL
from compaction.trail.engine.attribution.sentences import Sentence, SentenceForm, split_sentences

LONGEST = 200_000
"""Only this many characters are split into sentences; the rest is one piece."""

DRAFT = "Analysis"
_NUMBERED = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:\*\*)?(\d{1,2})[.)][ \t]+(?:\*\*)?([^\n]{1,120})$")
_HEADED = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+([^\n]{1,200})$")
_LABELLED = re.compile(r"(Analysis|Summary):[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_TAG = re.compile(r"</?(?:analysis|summary)>", re.IGNORECASE)
_MOST_OPENING_LINES = 60
"""A label within this many lines ends the client's opening words."""
_OPENINGS = ("This session is being continued from a previous conversation", OPENING, OPENING_AFTER_KEPT)
_CLOSINGS = (
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
"""How the client's words after a summary begin, and Lucid's."""
_LABELS = (
    LABEL,
    "This summary was put together mechanically from the record, without a model: it quotes and lists, and judges "
    "nothing.",
)
"""Of mechanical summaries; the second until version 0.2.0."""
_TITLES = frozenset(section.title.lower() for sections in SECTIONS.values() for section in sections)
_USER_MESSAGES = "user messages"


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    """Without its number; empty for text without a heading."""
    sentences: tuple[Sentence, ...] = ()
    is_frame: bool = False
    """Text around the summary by the client or by Lucid, which comes from no message."""

    @property
    def quotes_user(self) -> bool:
        """Whether it lists messages of the user."""
        return _USER_MESSAGES in self.title.lower()


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    title: str
    rest: str = ""
    """The text after the title in its line."""


def sections_of(summary: str) -> tuple[Section, ...]:
    """The sections in order. Their sentences are numbered from 1 throughout."""
    opening, body, closing = _split_frame(_TAG.sub("", summary[:LONGEST]))
    sections: list[Section] = []
    number = 1
    for title, text, is_frame in (("", opening, True), *_split_titles(body), ("", closing, True)):
        sentences = split_sentences(text, keep_whole=_USER_MESSAGES in title.lower(), first=number)
        if sentences or title:
            sections.append(Section(title, tuple(sentences), is_frame or text.strip() in _LABELS))
        number += len(sentences)
    if rest := summary[LONGEST:]:
        sections.append(Section("", (Sentence(number, rest, SentenceForm.CODE),), is_frame=True))
    return tuple(sections)


def _split_frame(text: str) -> tuple[str, str, str]:
    """The client's words before the summary, the summary, and the client's words after it."""
    lines = text.splitlines(keepends=True)
    start = 0
    if text.startswith(_OPENINGS):
        labels = (index for index, line in enumerate(lines[:_MOST_OPENING_LINES]) if _LABELLED.match(line))
        start = next(labels, 1)
    ends = (index for index in range(start, len(lines)) if lines[index].startswith(_CLOSINGS))
    end = next(ends, len(lines))
    return "".join(lines[:start]), "".join(lines[start:end]), "".join(lines[end:])


def _split_titles(body: str) -> list[tuple[str, str, bool]]:
    lines = body.splitlines(keepends=True)
    plain = [line.rstrip("\r\n") for line in lines]
    headings = _numbered_headings(plain) or _markdown_headings(plain)
    ends = [*(heading.line for heading in headings), len(lines)]
    parts = [("", "".join(lines[: ends[0]]), False)]
    for heading, end in zip(headings, ends[1:], strict=True):
        parts.append((heading.title, heading.rest + "\n" + "".join(lines[heading.line + 1 : end]), False))
    return parts


def _numbered_headings(lines: Sequence[str]) -> list[_Heading]:
    """The sections of a summary are numbered in sequence and have titles. Lists in it may be numbered too, but do not
    have these titles."""
    headings: list[_Heading] = []
    in_draft, next_number = False, 1
    for index, line in _outside_code(lines):
        if (label := _LABELLED.match(line)) is not None:
            in_draft, next_number = label[1] == DRAFT, 1
            headings.append(_Heading(index, DRAFT if in_draft else ""))
        elif not in_draft and (numbered := _NUMBERED.match(line)) is not None:
            title, _, rest = numbered[2].partition(":")
            title, rest = title.strip(" *"), rest.strip(" *")
            is_alone = not rest and numbered[2].rstrip().endswith((":", "**"))
            if title.lower() in _TITLES or (int(numbered[1]) == next_number and is_alone):
                headings.append(_Heading(index, title, rest))
                next_number = int(numbered[1]) + 1
    return headings


def _markdown_headings(lines: Sequence[str]) -> list[_Heading]:
    matches = [(index, match) for index, line in _outside_code(lines) if (match := _HEADED.match(line)) is not None]
    highest = min((len(match[1]) for _, match in matches), default=0)
    return [_Heading(index, match[2].strip(" *#")) for index, match in matches if len(match[1]) == highest]


def _outside_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    fence = ""
    for index, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif mark is not None:
            fence = mark[1]
        else:
            yield index, line
