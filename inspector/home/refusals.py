"""The answers to requests that were refused before reaching a page."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.defaults import page_not_found

from inspector.owner.gate import is_stranger

MUCH = "What was sent is larger than a form of this page may be, so nothing of it was read. Go back and shorten it."
ODD = "What was sent makes no sense, so nothing was done. Go back and try again."
EXPIRED = (
    "A form is good only together with the cookie that came with its page. This one came without it, or with another "
    "one, so nothing was changed."
)
FORBIDDEN = "This may not be done from here, so nothing was changed."


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    sentence = MUCH if isinstance(exception, RequestDataTooBig | TooManyFieldsSent) else ODD
    return render(request, "400.html", {"sentence": sentence}, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", {"title": "This was refused", "sentence": FORBIDDEN}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_stranger(request):
        return HttpResponseNotFound("There is no such file.\n", content_type="text/plain; charset=utf-8")
    return page_not_found(request, exception)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """For a form without its token. The exact reason is only in the log, so that a forger learns nothing."""
    context = {"title": "This form is out of date", "sentence": EXPIRED, "expired": True, "back": _back(request)}
    return render(request, "403.html", context, status=403)


def _back(request: HttpRequest) -> str:
    """The page with the form, if it was one of Lucid's."""
    referrer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referrer, {request.get_host()}):
        return ""
    parts = urlsplit(referrer)
    path = parts.path if parts.path.startswith("/") and not parts.path.startswith("//") else ""
    return f"{path}?{parts.query}" if path and parts.query else path
