"""Breaks where a fork begins, and where a session returns to what it was: both need a request that is not the one
before, or not in the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from compaction.cache.selectors.breaks import breaks_of
from compaction.cache.services.scan import cache_scan, cache_scan_stale
from compaction.models import CacheBreak
from sessions.models import Transcript
from tests.compaction.cache.cached_session import Cached
from tests.compaction.cache.engine.request_bodies import SYSTEM, TOOLS, tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(tmp_path: Path) -> Cached:
    return Cached(project=tmp_path / "projects" / "-home-dev-tidewatch")


def _forked(session: Cached) -> Cached:
    """As the client forks: what was said is copied, the log of the requests is not."""
    fork = Cached(project=session.project, session="99999999-2222-4333-8444-555555555555")
    records = [record for record in session.records if not record["type"].startswith("api-request")]
    fork.records = [{**record, "sessionId": fork.session} for record in records]
    fork.leaf, fork.count, fork.clock = session.leaf, 500, session.clock
    fork.sent, fork.tools, fork.turn_count = list(session.sent), session.tools, 50
    return fork


def _breaks(fork: Cached) -> list[CacheBreak]:
    fork.read()
    cache_scan_stale()
    return list(breaks_of(Transcript.objects.get(session_id=fork.session)))


def _causes(row: CacheBreak) -> list[str]:
    return [cause["name"] for cause in row.causes]


def test_a_fork_with_other_tools_is_held_against_the_log_of_the_session_it_left(session: Cached) -> None:
    fork = _forked(session.warm())
    session.save(session.path.parent, session.path.stem)
    fork.tools = (*TOOLS, tool("mcp__tides__lookup"))
    fork.asks(0, 52_000)
    (row,) = _breaks(fork)
    assert (_causes(row), row.also, row.exactness) == (["tools_changed"], [], "recorded")
    assert [fork.records[position]["type"] for position in row.causes[0]["positions"]] == ["assistant", "api-request"]


def test_a_fork_whose_origin_is_not_here_stays_unexplained(session: Cached) -> None:
    fork = _forked(session.warm())
    fork.tools = (*TOOLS, tool("mcp__tides__lookup"))
    fork.asks(0, 52_000)
    (row,) = _breaks(fork)
    assert (_causes(row), row.also, row.exactness) == (["unknown"], [], "reconstructed")


def test_tools_that_went_again_are_the_cause_although_what_was_cached_before_them_was_read(session: Cached) -> None:
    session.asks(0, 50_000, words="The water is high. " * 8_000)
    session.asks(50_000, 500, words="The water is low. " * 8_000)
    session.tools = (*TOOLS, tool("mcp__tides__lookup"))
    session.asks(0, 51_000)
    for turn in range(6):
        session.asks(51_000 + turn * 600, 600)
    session.tools = TOOLS
    session.asks(50_500, 5_000)
    transcript = session.read()
    cache_scan(transcript=transcript)
    came, went = breaks_of(transcript)
    assert (_causes(came), _causes(went)) == (["tools_changed"], ["tools_changed"])
    assert (went.previous_read, went.read) == (54_000, 50_500)


def test_an_older_client_did_not_send_what_a_newer_one_wrote_down(session: Cached) -> None:
    """Somebody went back to a version that logs nothing: the snapshot in the file is not of its requests."""
    snapshot = {"type": "prompt_snapshot", "systemPrompt": list(SYSTEM), "tools": list(TOOLS)}
    session.row("attachment", attachment=snapshot)
    session.logs = False
    session.asks(0, 50_000, version="2.1.90")
    session.asks(50_000, 500, version="2.1.90")
    session.asks(0, 51_000, version="2.1.90")
    transcript = session.read()
    cache_scan(transcript=transcript)
    (row,) = breaks_of(transcript)
    assert _causes(row) == ["unknown"]
    assert any("System prompt and tools" in sentence for sentence in row.missing)
