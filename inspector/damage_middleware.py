"""The answer to a request that needs damaged data: a card that says so, or no file at all."""

from __future__ import annotations

from http import HTTPStatus

from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from inspector.checks.services import repair_soon
from inspector.middleware import GetResponse
from inspector.structured import get_logger
from inspector.web.clock import now_ms
from inspector.web.file_views import is_file_view
from inspector.web.request_guard import SAFE_METHODS
from sessions.archive.engine.damage import ArchiveDamageError, DamageError
from sessions.archive.selectors.blocks import repairable_blocks
from sessions.models import Transcript
from sessions.transcripts.selectors.session import session_head

NO_FILE = "Nothing is sent, because it would not be whole. What can be repaired, this repairs: lucid check --repair"

logger = get_logger(__name__)


class Damage:
    """Pages show a card in place of what cannot be read. An incomplete file is not sent at all."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self._repaired: set[int] = set()
        """Blocks that a repair was started for, so that none is tried again and again."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if repairable_blocks:
            self._repair()
        return response

    def _repair(self) -> None:
        """Starts a run that repairs what could be read from the file, before the agent deletes the file."""
        blocks = repairable_blocks - self._repaired
        repairable_blocks.clear()
        if not blocks:
            return
        try:
            repair_soon(blocks=blocks)
        except DatabaseError as error:
            logger.info("repair_not_started", error=str(error))  # the next reader tries again
        else:
            self._repaired |= blocks

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DamageError):
            return None
        logger.warning("damage", path=request.path, error=str(error))
        match = request.resolver_match
        if match is not None and is_file_view(match.func):
            plain = f"{error}\n{NO_FILE}\n"
            return HttpResponse(plain, status=HTTPStatus.GONE, content_type="text/plain; charset=utf-8")
        context: dict[str, object] = {"damage": error, "elsewhere": _elsewhere(request, error)}
        status = HTTPStatus.OK if request.method in SAFE_METHODS else HTTPStatus.CONFLICT
        if request.headers.get("HX-Request") and not request.headers.get("HX-History-Restore-Request"):
            return render(request, "inspector/_damage.html", context, status=status)
        return render(request, "inspector/damage.html", context | _head(request), status=status)


def _head(request: HttpRequest) -> dict[str, object]:
    """The session of the page, if it has one, because its other tabs may be readable."""
    name = request.resolver_match.kwargs.get("session", "") if request.resolver_match else ""
    try:
        head = session_head(name, now_ms()) if name else None
    except Http404:
        head = None
    return {} if head is None else {"section": "sessions", "head": head, "session": head.transcript}


def _elsewhere(request: HttpRequest, error: DamageError) -> Transcript | None:
    """The damaged transcript, if it is not the page's own: a sub-agent, or a session that it continues."""
    if not isinstance(error, ArchiveDamageError):
        return None
    name = request.resolver_match.kwargs.get("session", "") if request.resolver_match else ""
    transcript = Transcript.objects.only("public_id", "title", "first_prompt").filter(source=error.source_id).first()
    return transcript if transcript is not None and transcript.public_id != name else None
