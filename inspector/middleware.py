"""Middleware for every request: the log, the check of its origin, and the answers to trouble with disk and database."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import DisallowedHost
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django_structlog.middlewares import RequestMiddleware
from django_structlog.signals import bind_extra_request_failed_metadata, bind_extra_request_finished_metadata

from inspector.structured import get_logger
from inspector.web.database_errors import Trouble, find_trouble
from inspector.web.disk_errors import disk_trouble
from inspector.web.request_guard import SAFE_METHODS, UNKNOWN_HOST, Refusal, refusal_of

GetResponse = Callable[[HttpRequest], HttpResponseBase]

INSUFFICIENT_STORAGE = 507
RETRY_SECONDS = 5
HEADERS = {
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Pages show private data, so browsers keep no copy. Static files have set their own header before.
    "Cache-Control": "no-store",
}

logger = get_logger(__name__)


class RequestLog(RequestMiddleware):
    """One line per request: method, path, status, milliseconds. Queries stay out; people search for private words."""

    def prepare(self, request: HttpRequest) -> None:
        request._lucid_started = time.perf_counter()  # type: ignore[attr-defined]
        super().prepare(request)

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        return f"{request.method} {request.path}"


@receiver([bind_extra_request_finished_metadata, bind_extra_request_failed_metadata])
def add_milliseconds(request: HttpRequest, log_kwargs: dict[str, Any], **_: Any) -> None:
    started: float = getattr(request, "_lucid_started", time.perf_counter())
    log_kwargs["ms"] = round((time.perf_counter() - started) * 1000, 1)


class LocalOriginMiddleware:
    """Answers only under the names of this machine, and lets only its own pages change anything."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._refusal(request) or self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refusal(self, request: HttpRequest) -> HttpResponse | None:
        # Under `lucid serve` the RequestGuard has checked the same before the body was read.
        try:
            host = request.get_host()
        except DisallowedHost:
            return _plain_response(UNKNOWN_HOST)
        refusal = refusal_of(
            method=request.method or "",
            host=host,
            scheme=request.scheme or "",
            site=request.headers.get("Sec-Fetch-Site"),
            origin=request.headers.get("Origin"),
        )
        return _plain_response(refusal) if refusal else None


class DiskTroubleMiddleware:
    """Answers with one sentence if a page fails because the disk is full or broken."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        sentence = disk_trouble(error)
        if sentence is None:
            return None
        logger.warning("disk_trouble", error=str(error))
        return render(request, "507.html", {"sentence": sentence}, status=INSUFFICIENT_STORAGE)


class DatabaseTroubleMiddleware:
    """Answers if another program holds the database or it is away. The page then reloads by itself, or, if a form was
    sent, has a button that sends it again."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        trouble = find_trouble(error)
        if trouble is None:
            return None
        logger.warning("database_trouble", trouble=trouble.name.lower(), error=str(error).strip())
        context = {
            "sentence": trouble.value,
            "away": trouble is Trouble.AWAY,
            "again": request.method not in SAFE_METHODS,
            "fields": [
                (name, value)
                for name, values in request.POST.lists()
                if name != "csrfmiddlewaretoken"
                for value in values
            ],
            "seconds": RETRY_SECONDS,
        }
        response = render(request, "503.html", context, status=HTTPStatus.SERVICE_UNAVAILABLE)
        response.headers["Retry-After"] = str(RETRY_SECONDS)
        # For htmx: the page stays as it is, with the text that was typed into it.
        response.headers["Lucid-Says"] = trouble.value
        return response


def _plain_response(refusal: Refusal) -> HttpResponse:
    return HttpResponse(f"{refusal.sentence}\n", status=refusal.status, content_type="text/plain; charset=utf-8")
