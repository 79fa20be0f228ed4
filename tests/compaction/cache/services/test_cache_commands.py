"""Clients that log no requests still write down what a person told them."""

from __future__ import annotations

from pathlib import Path

import pytest

from compaction.cache.selectors.breaks import breaks_of
from compaction.cache.services.scan import cache_scan
from compaction.models import CacheBreak
from tests.compaction.cache.cached_session import Cached

pytestmark = pytest.mark.django_db
OLD = "2.1.197"


@pytest.fixture
def session(tmp_path: Path) -> Cached:
    written = Cached(project=tmp_path / "projects" / "-home-dev-tidewatch", logs=False)
    written.asks(0, 40_000, words="The water is high. " * 4_000, version=OLD)
    written.asks(40_000, 500, version=OLD)
    return written


def _break(session: Cached) -> CacheBreak:
    transcript = session.read()
    cache_scan(transcript=transcript)
    (row,) = breaks_of(transcript)
    return row


def _sets_effort(session: Cached, level: str) -> int:
    session.user(f"<command-name>/effort</command-name>\n<command-args>{level}</command-args>", version=OLD)
    session.user(f"<local-command-stdout>Set effort level to {level}: Quick</local-command-stdout>", version=OLD)
    return len(session.records) - 1


def test_an_effort_that_was_set_in_between_is_the_cause(session: Cached) -> None:
    text = _sets_effort(session, "low")
    session.asks(20_000, 21_000, version=OLD)
    row = _break(session)
    assert [(cause["name"], cause["confidence"], cause["positions"]) for cause in row.causes] == [
        ("effort_changed", "medium", [text])
    ]
    assert "set to low" in row.causes[0]["sentence"]


def test_it_does_not_explain_that_not_even_the_tools_were_read(session: Cached) -> None:
    _sets_effort(session, "low")
    session.asks(0, 41_000, version=OLD)
    row = _break(session)
    assert [cause["name"] for cause in row.causes] == ["unknown"]
    assert [cause["name"] for cause in row.also] == ["effort_changed"]


def test_an_effort_that_was_set_before_both_requests_is_no_cause(session: Cached) -> None:
    _sets_effort(session, "low")
    session.asks(40_500, 500, version=OLD)
    session.asks(20_000, 21_000, version=OLD)
    assert [cause["name"] for cause in _break(session).causes] == ["unknown"]


def test_words_about_the_effort_are_no_command(session: Cached) -> None:
    session.asks(20_000, 21_000, words="Set effort level to low, please. " * 30, version=OLD)
    assert [cause["name"] for cause in _break(session).causes] == ["unknown"]
