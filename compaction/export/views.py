"""Hands a compaction back to the agent, as a session beside the others or as an archive for another machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from typing import IO

from asgiref.sync import sync_to_async
from django.http import Http404, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from compaction.export.selectors import build_export_view, export_directory
from compaction.export.services import ExportError, compaction_export, compaction_zip, parse_directory
from compaction.kinds.selectors import CompactionMissingError, compaction_get
from compaction.models import Compaction
from inspector.web.clock import now_ms
from inspector.web.file_views import sends_file
from inspector.web.htmx import HtmxRequest, render_page, wants_partial
from sessions.imports.services.import_runs import import_soon
from sessions.transcripts.engine.paths import encode_path
from sessions.transcripts.selectors.session import session_head

PIECE = 256 * 1024


@require_http_methods(["GET", "HEAD", "POST"])
def compaction_exports(request: HtmxRequest, session: str, number: int) -> HttpResponse:
    compaction = _compaction(session, number)
    if request.method != "POST":
        return _page(request, compaction)
    typed = request.POST.get("directory", "").strip()
    try:
        directory = parse_directory(typed) if typed else export_directory(compaction.transcript)
        written = compaction_export(compaction=compaction, directory=directory, now_ms=now_ms())
    except ExportError as error:
        return _page(request, compaction, typed=typed, error=encode_path(str(error)))
    import_soon([written.path, *written.results])
    if wants_partial(request, "export"):
        return _page(request, compaction)
    response = HttpResponseRedirect(reverse("compaction-export", args=[session, number]))
    response.status_code = 303
    return response


@sends_file
@require_safe
def compaction_download(request: HtmxRequest, session: str, number: int) -> StreamingHttpResponse:
    """Each download has a new id, so that it never replaces one that was unpacked before."""
    file = TemporaryFile()  # noqa: SIM115 - closed when it has been sent
    session_id = compaction_zip(compaction=_compaction(session, number), file=file, now_ms=now_ms())
    file.seek(0)
    response = StreamingHttpResponse(_pieces(file), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"{session_id}.zip")
    return response


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Asynchronous, because Django would read an ordinary iterator to its end before sending the first byte."""
    with file:
        while piece := await sync_to_async(file.read)(PIECE):
            yield piece


def _compaction(session: str, number: int) -> Compaction:
    try:
        compaction = compaction_get(number)
    except CompactionMissingError as error:
        raise Http404(str(error)) from error
    if compaction.transcript.public_id != session:
        raise Http404(f"Compaction {number} is one of another session.")
    return compaction


def _page(request: HtmxRequest, compaction: Compaction, *, typed: str = "", error: str = "") -> HttpResponse:
    context = {"exporting": build_export_view(compaction), "typed": typed, "error": error}
    if wants_partial(request, "export"):
        return render_page(request, "compaction/export/_export.html", context)
    head = session_head(compaction.transcript.public_id, now_ms())
    context |= {"section": "sessions", "tab": "compactions", "head": head, "session": head.transcript}
    response = render_page(request, "compaction/export/export.html", context)
    response.status_code = 409 if error else 200
    return response
