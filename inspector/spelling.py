"""Spells out invisible characters in everything that is sent to a browser, so that no template can forget to.

Text on a page is spelled out. What a form or a link sends back stays the same character, written as a reference,
because looking at a memory file in the editor must not change it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse

from sessions.text.engine.invisible_characters import (
    escape_invisible,
    has_invisible,
    reference_invisible,
    spell_invisible,
)

_MARKUP = re.compile(r"<textarea\b[^>]*>[^<]*</textarea>|<[a-zA-Z/!](?:[^>\"']|\"[^\"]*\"|'[^']*')*+>")
_SHOWN = re.compile(r"(?<=\s)(?:title|alt|label|placeholder|content|aria-[a-z]+)=(?:\"[^\"]*\"|'[^']*')")
_TEXTAREA = re.compile(r"<textarea\b")


def spelled_html(html: str) -> str:
    if not has_invisible(html):
        return html
    pieces: list[str] = []
    copied = 0
    for markup in _MARKUP.finditer(html):
        pieces += (spell_invisible(html[copied : markup.start()]), _tag(markup[0]))
        copied = markup.end()
    return "".join((*pieces, spell_invisible(html[copied:])))


def _tag(tag: str) -> str:
    if not has_invisible(tag):
        return tag
    return reference_invisible(
        tag if _TEXTAREA.match(tag) else _SHOWN.sub(lambda match: spell_invisible(match[0]), tag)
    )


_SPELLINGS: dict[str, Callable[[str], str]] = {
    "text/html": spelled_html,
    "text/plain": spell_invisible,
    "text/markdown": spell_invisible,
    "text/csv": spell_invisible,
    "application/json": escape_invisible,
}


class SpelledOut:
    """Must run before the length of an answer is known. Files that are downloaded unchanged have other types."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        spelled = _SPELLINGS.get(response.get("Content-Type", "").partition(";")[0])
        if spelled is None:
            return response
        if isinstance(response, StreamingHttpResponse):
            _respell(response, spelled)
        elif isinstance(response, HttpResponse):
            text = response.content.decode(response.charset)
            if has_invisible(text):
                response.content = spelled(text)
        return response


def _respell(response: StreamingHttpResponse, spelled: Callable[[str], str]) -> None:
    """Respells piece by piece. Each piece comes from a template of its own, so none ends within a tag."""
    charset, pieces = response.charset, response.streaming_content

    async def later(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield spelled(piece.decode(charset)).encode(charset)

    def now(pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            yield spelled(piece.decode(charset)).encode(charset)

    response.streaming_content = later(pieces) if response.is_async else now(pieces)  # type: ignore[arg-type]
