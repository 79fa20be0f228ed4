"""The demo shows people what a break looks like: one of each main cause, at the records that its story names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from compaction.cache.selectors.breaks import breaks_of
from compaction.cache.services.scan import cache_scan_stale
from sessions.models import Transcript
from tests.demo.build import TARGET
from tests.demo.names import SESSIONS, point
from tests.importing import imported

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, TARGET), django_db_blocker.unblock():
        cache_scan_stale()
        yield


def at(label: str, name: str) -> int:
    return point(label, name).position


def _causes(label: str) -> dict[int, tuple[str, bool]]:
    found = breaks_of(Transcript.objects.get(session_id=SESSIONS[label], kind="main"))
    return {one.position: (one.cause, one.expected) for one in found}


def test_the_evening_breaks_where_its_story_says() -> None:
    assert _causes("cleared") == {
        at("cleared", "effort changed.0"): ("effort_changed", False),
        at("cleared", "out of sight.0"): ("lookback_exceeded", True),
        at("cleared", "system prompt changed.0"): ("system_prompt_changed", False),
        at("cleared", "lost on the server.0"): ("likely_server_side", False),
    }


def test_the_long_day_has_the_others() -> None:
    found = _causes("long")
    assert found[at("long", "tools changed")] == ("tools_changed", False)
    causes = [cause for cause, _ in found.values()]
    assert {"model_changed", "ttl_expired_5m", "compaction", "cache_deletion"} <= set(causes)


def test_where_the_api_says_so_itself_it_agrees() -> None:
    found = breaks_of(Transcript.objects.get(session_id=SESSIONS["long"], kind="main"))
    told = [one for one in found if one.server]
    assert [(one.server["reason"], one.agrees) for one in told] == [("tools_changed", True)]
