"""Notes by section: a heading, a line of guidance in italics, and the notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sessions.transcripts.engine.messages import text_block
from sessions.usage.engine.tokens import estimate_block

_GUIDANCE = re.compile(r"_.*_")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    """Empty for what stands before the first heading."""
    text: str
    """All of it, heading and guidance included, as it stands in the notes."""

    @property
    def guidance(self) -> str:
        """The line below the heading, with its underscores; empty if there is none."""
        return self._split()[0]

    @property
    def body(self) -> str:
        return self._split()[1]

    @property
    def tokens(self) -> int:
        return tokens_of(self.text)

    def _split(self) -> tuple[str, str]:
        rest = self.text.partition("\n")[2] if self.title else self.text
        first, _, below = rest.lstrip("\n").partition("\n")
        if self.title and _GUIDANCE.fullmatch(first.strip()):
            return first.strip(), below.strip()
        return "", rest.strip()


def sections_of(text: str, known_titles: Collection[str] = ()) -> tuple[Section, ...]:
    """The sections in order; together they are the whole text. A `#` in a block of code begins no section, unless it is
    one of `known_titles`: then somebody forgot to close the block."""
    sections: list[Section] = []
    title, lines = "", list[str]()
    for line, heading in _lines_with_headings(text, known_titles):
        if heading is not None:
            if lines:
                sections.append(Section(title, "".join(lines)))
            title, lines = heading, []
        lines.append(line)
    if lines:
        sections.append(Section(title, "".join(lines)))
    return tuple(sections)


def is_empty(text: str, template: str = "") -> bool:
    """Whether the notes have nothing but headings and guidance, whatever the template is."""
    if text.split() == template.split():
        return True
    return not any(section.body for section in sections_of(text))


def tokens_of(text: str) -> int:
    return estimate_block(text_block(text))


def open_fence(text: str) -> str:
    """The fence that closes the code block that is open at the end; empty if none is."""
    fence = ""
    for line in text.splitlines():
        fence = _fence_after(line, fence)
    return fence


def _lines_with_headings(text: str, known_titles: Collection[str]) -> Iterator[tuple[str, str | None]]:
    """Each line, with the title if it is a heading."""
    fence = ""
    for line in text.splitlines(keepends=True):
        title = line[2:].strip() if line.startswith("# ") else ""
        if title and (not fence or title in known_titles):
            fence = ""
            yield line, title
        else:
            fence = _fence_after(line, fence)
            yield line, None


def _fence_after(line: str, fence: str) -> str:
    """The fence of the code block around the next line."""
    mark = _FENCE.match(line)
    if not fence:
        return mark[1] if mark else ""
    closes = mark is not None and mark[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence
