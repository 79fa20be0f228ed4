"""Numbers from a URL or a form. Reading them never fails: Python refuses to convert more than 4,300 digits, and a
database refuses what does not fit into 64 bits."""

from __future__ import annotations

from django.http import HttpRequest

MOST_DIGITS = 11
"""More than any number needs, and few enough that calculations still fit into 64 bits."""


def whole_number(text: str) -> int | None:
    """None for anything but a whole number from 0 on."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def query_number(request: HttpRequest, name: str) -> int | None:
    """The number of this name in the URL; None if it is missing or not a number."""
    return whole_number(request.GET.get(name, ""))


def page_number(request: HttpRequest) -> int:
    """The requested page of a list; the first by default."""
    return query_number(request, "page") or 1
