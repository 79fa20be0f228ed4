"""The pages for browsers without proof. They are rendered once, because they never change."""

from __future__ import annotations

from functools import cache

from django.template.loader import render_to_string


@cache
def entry_page(state: str) -> str:
    """`refused`, `expired` or `entered`."""
    return render_to_string("inspector/owner/entry.html", {"state": state})
