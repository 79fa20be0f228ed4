"""Numbers that come in an address or a form. Whatever somebody types, reading it never fails: Python refuses to convert
4,300 digits and more, and a database refuses what does not fit into 64 bits."""

from __future__ import annotations

from django.http import HttpRequest

MOST_DIGITS = 11
"""More than anything is counted by here, and few enough that what is worked out from it still fits into 64 bits."""


def whole_number(text: str) -> int | None:
    """None for anything that is not a whole number from zero on."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def query_number(request: HttpRequest, name: str) -> int | None:
    """The number of that name in the address; None when there is none, or something else."""
    return whole_number(request.GET.get(name, ""))


def page_number(request: HttpRequest) -> int:
    """Which page of a list is asked for: the first, unless the address names another."""
    return query_number(request, "page") or 1
