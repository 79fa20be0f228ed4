"""The pages for a browser that has not proved anything: made once, as they hold nothing but their own words."""

from __future__ import annotations

from functools import cache

from django.template.loader import render_to_string


@cache
def entry_page(state: str) -> str:
    """`refused`, `expired` or `entered`."""
    return render_to_string("entry.html", {"state": state})
