from __future__ import annotations

import time

import pytest
from django.test import Client

from inspector.models import Run

pytestmark = pytest.mark.django_db


def test_the_mark_is_silent_and_asks_no_more_while_nothing_runs(client: Client) -> None:
    html = client.get("/runs/indicator/").content.decode()
    assert "hx-get" not in html
    assert "run" not in html.replace('"runs', "")


def test_the_mark_counts_what_is_under_way_and_asks_again(client: Client) -> None:
    now = int(time.time() * 1000)
    Run.objects.create(kind="import", phase="reading", status="running", created_at=now, heartbeat_at=now)
    Run.objects.create(kind="dream", status="queued", created_at=now)
    html = client.get("/runs/indicator/").content.decode()
    assert "2 runs" in html
    assert "import: reading" in html
    assert 'hx-trigger="every 3s"' in html
