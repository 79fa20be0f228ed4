from __future__ import annotations

import pytest
from django.test import RequestFactory

from inspector.web.query import page_number, query_number, whole_number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1.5", "x", "٣", "²", "1" * 12, "9" * 4_400])
def test_what_is_no_whole_number_reads_as_none(text: str) -> None:
    assert whole_number(text) is None


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("99999999999", 99_999_999_999)])
def test_a_whole_number_is_read(text: str, number: int) -> None:
    assert whole_number(text) == number


def test_an_address_without_a_page_asks_for_the_first() -> None:
    request = RequestFactory()
    assert page_number(request.get("/")) == 1
    assert page_number(request.get("/?page=0")) == 1
    assert page_number(request.get("/?page=x")) == 1
    assert page_number(request.get("/?page=3")) == 3


def test_a_number_is_looked_up_by_its_name() -> None:
    request = RequestFactory().get("/?from=12&to=")
    assert query_number(request, "from") == 12
    assert query_number(request, "to") is None
    assert query_number(request, "gone") is None
