"""One view, two answers: the whole page, or the part that htmx requests."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    htmx: HtmxDetails


def wants_partial(request: HtmxRequest, partial: str) -> bool:
    """Whether htmx requests this partial by its DOM id. Going back in history needs the whole page."""
    return bool(request.htmx) and not request.htmx.history_restore_request and request.htmx.target == partial


def render_page(
    request: HtmxRequest, template: str, context: Mapping[str, object], *, partials: tuple[str, ...] = ()
) -> HttpResponse:
    """Renders the page, or the partial that the request targets."""
    name = next((f"{template}#{partial}" for partial in partials if wants_partial(request, partial)), template)
    response = render(request, name, dict(context))
    patch_vary_headers(response, ["HX-Request", "HX-Target", "HX-History-Restore-Request"])
    return response
