"""Whatever leaves for a browser has its unseen characters spelled out here, so that no template can forget to.

What a page shows is spelled out; what a form or a link sends back to us stays the same character, written as a
reference, because a memory file must not change by being looked at in the editor.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse

from sessions.text.engine.invisible_characters import (
    escaped,
    is_any_unseen,
    referred,
    visible,
)

_MARKUP = re.compile(r"<textarea\b[^>]*>[^<]*</textarea>|<[a-zA-Z/!](?:[^>\"']|\"[^\"]*\"|'[^']*')*+>")
_SHOWN = re.compile(r"(?<=\s)(?:title|alt|label|placeholder|content|aria-[a-z]+)=(?:\"[^\"]*\"|'[^']*')")
_TEXTAREA = re.compile(r"<textarea\b")


def spelled_html(html: str) -> str:
    if not is_any_unseen(html):
        return html
    pieces: list[str] = []
    copied = 0
    for markup in _MARKUP.finditer(html):
        pieces += (visible(html[copied : markup.start()]), _tag(markup[0]))
        copied = markup.end()
    return "".join((*pieces, visible(html[copied:])))


def _tag(tag: str) -> str:
    if not is_any_unseen(tag):
        return tag
    return referred(tag if _TEXTAREA.match(tag) else _SHOWN.sub(lambda match: visible(match[0]), tag))


_SPELLINGS: dict[str, Callable[[str], str]] = {
    "text/html": spelled_html,
    "text/plain": visible,
    "text/markdown": visible,
    "text/csv": visible,
    "application/json": escaped,
}


class SpelledOut:
    """Before the length of an answer is known. Files that are downloaded as they are have other types."""

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
            if is_any_unseen(text):
                response.content = spelled(text)
        return response


def _respell(response: StreamingHttpResponse, spelled: Callable[[str], str]) -> None:
    """Piece by piece: each comes from a template of its own, so that none ends within a tag."""
    charset, pieces = response.charset, response.streaming_content

    async def later(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield spelled(piece.decode(charset)).encode(charset)

    def now(pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            yield spelled(piece.decode(charset)).encode(charset)

    response.streaming_content = later(pieces) if response.is_async else now(pieces)  # type: ignore[arg-type]
