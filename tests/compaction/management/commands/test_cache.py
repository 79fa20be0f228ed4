from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.compaction.cache.cached_session import Cached
from tests.compaction.cache.engine.request_bodies import TOOLS

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(tmp_path: Path) -> Cached:
    made = Cached(project=tmp_path / "projects" / "-home-dev-tidewatch").warm()
    made.tools = TOOLS[1:]
    made.asks(0, 51_000)
    made.read()
    return made


def _printed(*arguments: str) -> str:
    out = io.StringIO()
    call_command("cache", *arguments, stdout=out)
    return out.getvalue()


def test_it_prints_one_document_with_every_break(session: Cached) -> None:
    data: dict[str, Any] = json.loads(_printed(session.session, "--json"))
    assert data["requests"] == 3
    assert data["hit_rate"] == pytest.approx(50_000 / (50_000 + 101_500 + 9))
    assert data["rewrite_factor"] == pytest.approx(101_500 / 51_003)
    (entry,) = data["breaks"]
    assert entry["causes"] == ["tools_changed"]
    assert entry["at"] == "2025-11-01T12:26:45.000Z"
    assert (entry["previous_read"], entry["read"], entry["expected"], entry["wasted_tokens"]) == (
        50_000,
        0,
        False,
        50_500,
    )
    assert entry["cost_usd"] == pytest.approx(50_500 * 4e-6 * 1.2)
    assert entry["detail"] == "The tools changed: 1 removed (Bash)."
    assert entry["sizes"]["tools_changed"]["removed"] == 1
    assert data["advice"]["ttl"]["used"] == "5m"
    assert data["totals"]["breaks"] == 1


def test_it_speaks_to_people(session: Cached) -> None:
    output = _printed(session.session)
    assert "3 requests" in output
    assert "tools changed" in output
    assert "wasted 50.5k" in output


def test_it_is_up_to_date_when_the_session_has_grown(session: Cached) -> None:
    assert len(json.loads(_printed(session.session, "--json"))["breaks"]) == 1
    session.asks(51_000, 500)
    session.asks(0, 52_000, after=7)
    session.read()
    data = json.loads(_printed(session.session, "--json"))
    assert [entry["causes"] for entry in data["breaks"]] == [["tools_changed"], ["ttl_expired_5m"]]


def test_the_beginning_of_an_id_is_enough_and_a_wrong_one_is_refused(session: Cached) -> None:
    assert json.loads(_printed(session.session[:8], "--json"))["session"] == session.session
    with pytest.raises(CommandError, match="No session begins with"):
        _printed("nothing")
