"""The sections of the prompt before the messages: what each is for, and who may share its cache. Newer clients send
some of them as the first messages of the conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import text
from sessions.requests.engine.scope import Scope
from sessions.requests.engine.section_kinds import SectionKind, kind_of
from sessions.requests.engine.sent_marks import CacheMark, MarksByBlock
from sessions.text.engine.diffs import Diff
from sessions.usage.engine.billing_header import BILLING

_HEADING = re.compile(r"^#[ \t]+(\S[^\n]{0,120})$")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_PARAGRAPH = re.compile(
    r"^(?=The following deferred tools are now available|Available agent types|The following skills are available)",
    re.MULTILINE,
)
"""What the client puts into one message with the environment, without a heading."""
_REMINDER = re.compile(r"\s*<system-reminder>\s*(.*?)\s*(?:</system-reminder>\s*)?\Z", re.DOTALL)
_CHARACTERS = 400_000
"""Of a block, at most; the rest belongs to its last section."""
_START = 50


class Change(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"
    UNKNOWN = "unknown"
    """No record holds the prompt of the request before."""


class RawSection(NamedTuple):
    place: str
    """Of its block, as an address calls it: `system.0`, or `3` for a message."""
    heading: str
    words: str
    is_last: bool = True
    """Of its block."""

    @property
    def is_message(self) -> bool:
        return not self.place.startswith("system")

    @property
    def key(self) -> tuple[bool, str, str]:
        """What identifies it in a comparison: where it is sent, its heading and its kind."""
        return self.is_message, self.heading, "" if self.kind is None else self.kind.name

    @property
    def kind(self) -> SectionKind | None:
        return kind_of(self.heading, self.words)

    @property
    def title(self) -> str:
        if self.heading:
            return self.heading
        kind, words = self.kind, " ".join(self.words[: 4 * _START].split())
        if kind is not None:
            return kind.name[:1].upper() + kind.name[1:]
        return f"“{words[:_START].rstrip()}…”" if len(words) > _START else f"“{words}”"


@dataclass(frozen=True, slots=True)
class PromptSection:
    part: RawSection
    tokens: int
    """Its share of the tokens of its block, by length."""
    percent: int
    """Of the tokens of all sections."""
    scope: str
    """`global`, `org` or `none`; or what else the mark says. Empty if nobody knows where marks were."""
    mark: CacheMark | None
    """The mark at the end of its block."""
    change: Change = Change.UNKNOWN
    diff: Diff | None = None

    @property
    def place(self) -> str:
        return self.part.place

    @property
    def title(self) -> str:
        return self.part.title

    @property
    def kind(self) -> str:
        """What it is for; empty if no rule names it, or if its title already says so."""
        kind = self.part.kind
        return "" if kind is None or kind.name.lower() in self.title.lower() else kind.name

    @property
    def computed(self) -> str:
        """When the client computes it again; empty if no rule tells."""
        return self.part.kind.computed.when if self.part.kind is not None else ""

    @property
    def reason(self) -> str:
        """What a change of it means, by the same rules; empty if it did not change, or no rule tells."""
        is_other = self.change in (Change.CHANGED, Change.NEW, Change.GONE)
        return self.part.kind.computed.change if is_other and self.part.kind is not None else ""


def prompt_sections(
    setup: RequestSetup, elements: Sequence[Element], marks: MarksByBlock, tokens: Mapping[str, tuple[int, int]]
) -> tuple[PromptSection, ...]:
    """`tokens`: place of a block -> its tokens as the page shows them, and the number of its characters."""
    raw = [*system_parts(setup.system or ()), *opening_parts(elements)]
    shares = [_share(part, tokens) for part in raw]
    whole = max(1.0, sum(shares))
    sections = [_section(part, marks, share, whole) for part, share in zip(raw, shares, strict=True)]
    if setup.marks is None and not marks:
        return tuple(section if section.part.is_message else replace(section, scope="") for section in sections)
    return tuple(sections)


def _share(part: RawSection, tokens: Mapping[str, tuple[int, int]]) -> float:
    of_block, characters = tokens.get(part.place, (0, 0))
    return of_block * len(part.words) / max(1, characters)


def _section(part: RawSection, marks: MarksByBlock, tokens: float, whole: float) -> PromptSection:
    mark = None if part.is_message else marks.get(("system", int(part.place.partition(".")[2]), 0))
    scope = Scope.NONE if mark is None else mark.scope or Scope.ORG
    return PromptSection(part, round(tokens), round(100 * tokens / whole), str(scope), mark)


def system_parts(system: Sequence[Mapping[str, Any]]) -> Iterator[RawSection]:
    for number, block in enumerate(system):
        parts = split_sections(text(block.get("text")))
        for index, (heading, words) in enumerate(parts, start=1):
            yield RawSection(f"system.{number}", heading, words, is_last=index == len(parts))


def opening_parts(elements: Sequence[Element]) -> Iterator[RawSection]:
    """What the client itself adds before the first answer: messages of the role `system`, and reminders."""
    for number, element in enumerate(elements):
        if element.role == "assistant":
            return
        for piece in element.pieces:
            words = text(piece.block.get("text"))
            reminder = _REMINDER.match(words) if words.lstrip().startswith("<system-reminder>") else None
            if reminder is not None:
                yield RawSection(str(number), "", reminder[1])
            elif element.role == "system":
                for heading, part in split_sections(words):
                    yield from _paragraphs(str(number), heading, part)


def _paragraphs(place: str, heading: str, words: str) -> Iterator[RawSection]:
    first, *rest = _PARAGRAPH.split(words)
    if first.strip():
        yield RawSection(place, heading, first)
    for part in rest:
        yield RawSection(place, "", part)


def split_sections(words: str) -> list[tuple[str, str]]:
    """Heading and text of each section of one block; the text before the first heading has none."""
    if words.startswith(BILLING):
        return [("", words)]
    starts, headings, is_code, position = [0], [""], False, 0
    for line in words[:_CHARACTERS].splitlines(keepends=True):
        if _FENCE.match(line):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line.rstrip("\n"))
        if heading is not None:
            starts.append(position)
            headings.append(heading[1].strip())
        position += len(line)
    ends = [*starts[1:], len(words)]
    parts = [(heading, words[start:end]) for heading, start, end in zip(headings, starts, ends, strict=True)]
    return [(heading, part) for heading, part in parts if part.strip()]
