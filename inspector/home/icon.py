"""Browsers request an icon at this address for pages that are not HTML, such as a raw record."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe


@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(static("icons/lucid.svg"))
