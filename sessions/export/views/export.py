"""Exports a session as self-contained HTML or Markdown, streamed window by window."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

from asgiref.sync import sync_to_async
from django.http import Http404, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from inspector.web.clock import now_ms
from inspector.web.file_views import sends_file
from inspector.web.htmx import HtmxRequest
from sessions.export.engine import make_filename
from sessions.export.selectors import clean_text
from sessions.export.views.documents import render_html, render_markdown
from sessions.transcripts.selectors.session import SessionHead, session_head

FORMS: dict[str, tuple[Callable[[SessionHead], Iterator[str]], str]] = {
    "html": (render_html, "text/html; charset=utf-8"),
    "md": (render_markdown, "text/markdown; charset=utf-8"),
}


@sends_file
@require_GET
def transcript_export(request: HtmxRequest, session: str, form: str) -> StreamingHttpResponse:
    if form not in FORMS:
        raise Http404("A session can be exported as html or as md.")
    pieces, content_type = FORMS[form]
    head = session_head(session, now_ms())
    name = make_filename(clean_text(head.title)[:200], head.public_id, form)
    response = StreamingHttpResponse(_stream(pieces(head)), content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    return response


async def _stream(pieces: Iterator[str]) -> AsyncIterator[str]:
    """Wraps the iterator, because Django would read a synchronous one to its end before sending the first byte."""
    while (piece := await sync_to_async(_next)(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[str]) -> str | None:
    return next(pieces, None)
