"""Browsers ask for an icon at this address when a page is no HTML: a raw record, a spilled output."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe


@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(static("icons/lucid.svg"))
