"""What every request passes: its line in the log, and the check that it comes from this machine's own pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.core.exceptions import DisallowedHost
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django_structlog.middlewares import RequestMiddleware
from django_structlog.signals import bind_extra_request_failed_metadata, bind_extra_request_finished_metadata

import inspector.structured  # noqa: F401 - the loggers of the request log are set up there
from inspector.web.origins import is_own

GetResponse = Callable[[HttpRequest], HttpResponseBase]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS = {
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}


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


class OnlyFromHere:
    """Answers only under the names of this machine, and lets only its own pages change anything."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._refusal(request) or self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refusal(self, request: HttpRequest) -> HttpResponse | None:
        try:
            host = request.get_host()
        except DisallowedHost:
            sentence = "Lucid does not answer under this name. Add it to LUCID_ALLOWED_HOSTS if it is yours.\n"
            return HttpResponse(sentence, status=400, content_type="text/plain; charset=utf-8")
        if request.method in SAFE_METHODS or self._is_own(request, host):
            return None
        sentence = "Only pages of Lucid itself may change anything here.\n"
        return HttpResponse(sentence, status=403, content_type="text/plain; charset=utf-8")

    @staticmethod
    def _is_own(request: HttpRequest, host: str) -> bool:
        site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
        return is_own(site=site, origin=origin, ours=f"{request.scheme}://{host}")
