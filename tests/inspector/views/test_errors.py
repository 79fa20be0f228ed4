from __future__ import annotations

import pytest
from django.test import Client, RequestFactory
from django.views.defaults import server_error

from tests.sessions.made import HOSTILE

pytestmark = pytest.mark.django_db


def test_an_unknown_address_leads_back_to_the_sessions(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    html = response.content.decode()
    assert "<h1>There is nothing under this address</h1>" in html
    assert 'href="/sessions/"' in html
    assert "tried" not in html


def test_an_unknown_session_is_not_found_whatever_its_name(client: Client) -> None:
    response = client.get(f"/sessions/{HOSTILE.replace('/', '')}/")
    assert response.status_code == 404
    assert "<script>alert" not in response.content.decode()


def test_a_mistake_of_ours_says_where_to_look() -> None:
    response = server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert "logs/lucid.log" in response.content.decode()
    assert "<h1>" in response.content.decode()
