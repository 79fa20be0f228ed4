"""The documents of Lucid as pages."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from inspector.docs import selectors as docs
from inspector.web.htmx import HtmxRequest, render_page


@require_safe
def docs_list(request: HtmxRequest) -> HttpResponse:
    return render_page(request, "inspector/docs/list.html", {"section": "docs", "documents": docs.documents()})


@require_safe
def docs_page(request: HtmxRequest, name: str) -> HttpResponse:
    document = docs.document(name)
    if document is None:
        raise Http404("There is no such document.")
    context = {"section": "docs", "documents": docs.documents(), "document": document, "name": name}
    return render_page(request, "inspector/docs/page.html", context)


@require_safe
def docs_screenshot(request: HtmxRequest, name: str) -> HttpResponse:
    image = docs.screenshot(name)
    if image is None:
        raise Http404("There is no such screenshot.")
    return HttpResponse(image, content_type="image/png", headers={"Cache-Control": "private, max-age=3600"})
