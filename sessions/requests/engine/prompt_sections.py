"""The sections of a system prompt: what each is for, who may share its cache, and which changed since the request
before. A section begins with a heading; what stands before the first heading is the client's opening."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from sessions.context.engine.certainty import RequestSetup
from sessions.linking.engine.raw_fields import text
from sessions.requests.engine.marks import CacheMark, MarksByBlock
from sessions.text.engine.diffs import Diff, from_texts, mark_words
from sessions.timeline.engine.cards.lens import Mask
from sessions.usage.engine.billing_header import BILLING

_HEADING = re.compile(r"^#[ \t]+(\S[^\n]{0,120})$")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_CHARACTERS = 400_000
"""Of a block, at most; the rest belongs to its last section."""


class Change(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"
    UNKNOWN = "unknown"
    """No record holds the system prompt of the request before."""


class _Rule(NamedTuple):
    words: str
    computed: str


_BILLING_TITLE = "Billing header"
_OPENING = "Opening"
_UNTITLED = "Without a heading"
_RULES = (
    _Rule("mcp", "for each request, because servers connect and disconnect while a session goes on"),
    _Rule(
        "env|environment|memory|language|output style|scratchpad|token budget|git ?status",
        "once, until the session is cleared or compacted",
    ),
)
_BILL = "for each request, because it numbers the bill; no cache depends on it"
_FIXED = "with the client, for all sessions of its version"


@dataclass(frozen=True, slots=True)
class PromptSection:
    block: int | None
    """Of the system prompt, counted from zero; None if it is gone."""
    title: str
    text: str
    tokens: int
    """Its share of the tokens of its block, by length."""
    percent: int
    """Of the characters of the whole system prompt."""
    scope: str
    """`global`, `org` or `none`."""
    mark: CacheMark | None
    """The mark at the end of its block."""
    computed: str
    change: Change = Change.UNKNOWN
    diff: Diff | None = None


def prompt_sections(
    setup: RequestSetup, marks: MarksByBlock, tokens: Mapping[int, int], before: RequestSetup | None, mask: Mask
) -> tuple[PromptSection, ...]:
    """`tokens`: of each block, as the page shows it; `before`: what the previous request sent, if it is known. `mask`
    is for the words of a diff."""
    lengths = [len(text(block.get("text"))) for block in setup.system or ()]
    sections = [
        _section(number, title, words, marks.get(("system", number, 0)), tokens.get(number, 0), lengths)
        for number, title, words in _parts(setup.system or ())
    ]
    if before is None or before.system is None:
        return tuple(sections)
    earlier = [(title, words) for _, title, words in _parts(before.system)]
    return tuple(_compare(sections, earlier, mask))


def global_scope_obstacle(setup: RequestSetup, sections: Sequence[PromptSection]) -> str:
    """Why no part of the system prompt is shared by everybody, as far as the request tells; empty if a part is."""
    if not sections or any(section.scope == "global" for section in sections):
        return ""
    names = [text(tool.get("name")) for tool in setup.tools or () if text(tool.get("name")).startswith("mcp__")]
    if names:
        return f"No part is shared by everybody: the request defines tools of MCP servers, such as {names[0]}."
    return "No part is marked as shared by everybody; the request does not tell why."


def _parts(system: Sequence[Mapping[str, Any]]) -> list[tuple[int, str, str]]:
    """Number of the block, title and text. Only the first block with words of the client has its opening."""
    parts: list[tuple[int, str, str]] = []
    for number, block in enumerate(system):
        has_opening = any(title == _OPENING for _, title, _ in parts)
        for title, words in split_sections(text(block.get("text"))):
            parts.append((number, _UNTITLED if has_opening and title == _OPENING else title, words))
    return parts


def _section(
    number: int, title: str, words: str, mark: CacheMark | None, tokens: int, lengths: Sequence[int]
) -> PromptSection:
    """`tokens`: of its block; `lengths`: of all blocks."""
    scope = "none" if mark is None else mark.scope or "org"
    share, percent = round(tokens * len(words) / lengths[number]), round(100 * len(words) / sum(lengths))
    return PromptSection(number, title, words, share, percent, scope, mark, _computed(title, scope))


def split_sections(words: str) -> list[tuple[str, str]]:
    """Title and text of each section of one block."""
    if words.startswith(BILLING):
        return [(_BILLING_TITLE, words)]
    starts, titles, is_code, position = [0], [_OPENING], False, 0
    for line in words[:_CHARACTERS].splitlines(keepends=True):
        if _FENCE.match(line):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line.rstrip("\n"))
        if heading is not None:
            starts.append(position)
            titles.append(heading[1].strip())
        position += len(line)
    ends = [*starts[1:], len(words)]
    parts = [(title, words[start:end]) for title, start, end in zip(titles, starts, ends, strict=True)]
    return [(title, part) for title, part in parts if part.strip()]


def _computed(title: str, scope: str) -> str:
    if title == _BILLING_TITLE:
        return _BILL
    for rule in _RULES:
        if re.search(rf"\b(?:{rule.words})\b", title, re.IGNORECASE):
            return rule.computed
    return _FIXED if scope == "global" else ""


def _compare(
    sections: Iterable[PromptSection], earlier: Sequence[tuple[str, str]], mask: Mask
) -> Iterator[PromptSection]:
    """Sections of one title are compared in order; those that are gone come last."""
    left: dict[str, list[str]] = {}
    for title, words in earlier:
        left.setdefault(title, []).append(words)
    for section in sections:
        if not left.get(section.title):
            yield replace(section, change=Change.NEW)
            continue
        words = left[section.title].pop(0)
        if words == section.text:
            yield replace(section, change=Change.SAME)
        else:
            diff = from_texts(mask(words), mask(section.text))
            yield replace(section, change=Change.CHANGED, diff=Diff(tuple(map(mark_words, diff.hunks))))
    for title, texts in left.items():
        for words in texts:
            yield PromptSection(None, title, words, 0, 0, "", None, "", Change.GONE)
