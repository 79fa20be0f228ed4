"""What is said when a request was refused before a page could look at it."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

MUCH = "What was sent is larger than a form of this page may be, so nothing of it was read. Go back and shorten it."
ODD = "What was sent makes no sense, so nothing was done. Go back and try again."


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    sentence = MUCH if isinstance(exception, RequestDataTooBig | TooManyFieldsSent) else ODD
    return render(request, "400.html", {"sentence": sentence}, status=400)
