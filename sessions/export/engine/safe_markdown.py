"""Makes untrusted Markdown safe as part of a document, and leaves it as it is if it is harmless.

An open fence would swallow everything after it, HTML would become part of the page, and images would be loaded from
other servers. A Markdown parser decides whether a text does that, before and after it was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sessions.export.engine.fences import make_fence
from sessions.text.engine.prose import is_hostile

_END = "lucid-end-of-text"
_TRIES = 4
_SUSPECT = re.compile(r"<|```|~~~|!\[")
"""A text without any of these cannot open a fence, an element or an image."""
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")


def contain_markdown(text: str) -> str:
    """The text with harmful Markdown escaped; in a fence if that is not enough."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _SUSPECT.search(text):
        return text
    if is_hostile(text):
        return make_fence(text)
    for attempt in range(_TRIES):
        tokens = _parser().parse(f"{text}\n\n# {_END}")
        closing_fence = _closing_fence(tokens)
        markup_lines = _markup_lines(tokens)
        if not closing_fence and not markup_lines:
            return text
        text = _escape_lines(text, markup_lines, spans=attempt > 0) if markup_lines else f"{text}\n{closing_fence}"
    return make_fence(text)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 20})
    return parser.enable(["table", "strikethrough"])


def _closing_fence(tokens: list[Token]) -> str:
    """The fence that closes the block that swallowed the end marker; empty if none did."""
    if len(tokens) >= 3 and tokens[-1].type == "heading_close" and tokens[-1].level == 0:
        return ""
    fences = [token.markup for token in tokens if token.type == "fence"]
    return fences[-1] if fences else "```"


def _markup_lines(tokens: list[Token]) -> set[int]:
    """Numbers of the lines with HTML or an image."""
    return {number for token in tokens if token.map and _has_markup(token) for number in range(*token.map)}


def _has_markup(token: Token) -> bool:
    return token.type == "html_block" or any(child.type in ("html_inline", "image") for child in token.children or ())


def _escape_lines(text: str, markup_lines: set[int], *, spans: bool) -> str:
    """Escapes tags and images on these lines, and inside code spans only if `spans` is set."""
    lines = text.split("\n")
    for number in markup_lines:
        if number < len(lines):
            lines[number] = "".join(
                piece if quoted and not spans else _TAG.sub(r"\\<", piece).replace("![", r"\!\[")
                for piece, quoted in _pieces(lines[number])
            )
    return "\n".join(lines)


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """Splits a line at its code spans: each piece, and whether it is a code span."""
    start = 0
    for span in _SPAN.finditer(line):
        yield line[start : span.start()], False
        yield span.group(), True
        start = span.end()
    yield line[start:], False
