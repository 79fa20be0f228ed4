from __future__ import annotations

from django.test import Client


def test_pages_without_markup_have_the_icon_too(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/static/icons/lucid.svg")
