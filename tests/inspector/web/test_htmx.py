from __future__ import annotations

from typing import cast

from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

from inspector.web.htmx import HtmxRequest, wants_partial


def htmx_request(**headers: str) -> HtmxRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = cast(HtmxRequest, RequestFactory().get("/", headers=named))
    request.htmx = HtmxDetails(request)
    return request


def test_a_partial_is_asked_for_by_its_target() -> None:
    assert wants_partial(htmx_request(HX_Request="true", HX_Target="list"), "list")
    assert not wants_partial(htmx_request(HX_Request="true", HX_Target="other"), "list")


def test_a_browser_gets_the_whole_page() -> None:
    assert not wants_partial(htmx_request(), "list")
    assert not wants_partial(htmx_request(HX_Target="list"), "list")


def test_going_back_gets_the_whole_page() -> None:
    assert not wants_partial(
        htmx_request(HX_Request="true", HX_Target="list", HX_History_Restore_Request="true"), "list"
    )
