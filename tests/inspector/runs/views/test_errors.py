from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.views.defaults import server_error

from inspector.runs.models import Run
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


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite lets us bound how large it may become")
@pytest.mark.django_db(transaction=True)
def test_a_full_disk_is_one_sentence_and_what_comes_after_it_is_done(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # what earlier tests left free would have to be filled first
        usual = cursor.execute("PRAGMA max_page_count").fetchone()[0]
        cursor.execute("PRAGMA max_page_count = 1")  # it stays at what there is: no further page fits
        try:
            refused = _refused(client)
        finally:
            cursor.execute(f"PRAGMA max_page_count = {usual}")
    assert refused.status_code == 507
    html = refused.content.decode()
    assert "The disk is full. Make room" in html
    assert "Traceback" not in html
    assert client.post("/runs/start/", {"kind": "check archive"}).status_code == 303


def _refused(client: Client) -> Any:
    """What is answered when there is no page left for a run."""
    response: Any = None
    for _ in range(100):
        with suppress(OperationalError):
            for number in range(500):
                Run.objects.create(kind="filler", target=f"{number} " * 200, created_at=0)
        response = client.post("/runs/start/", {"kind": "check archive"})
        if response.status_code != 303:
            break
        Run.objects.filter(status="queued").update(status="failed")  # there was a little room left for it
    return response
