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


def position_of(label: str, name: str) -> int:
    return point(label, name).position


def _causes(label: str) -> dict[int, tuple[str, bool]]:
    breaks = breaks_of(Transcript.objects.get(session_id=SESSIONS[label], kind="main"))
    return {item.position: (item.cause, item.expected) for item in breaks}


def test_the_evening_breaks_where_its_story_says() -> None:
    assert _causes("cleared") == {
        position_of("cleared", "effort changed.0"): ("effort_changed", False),
        position_of("cleared", "out of sight.0"): ("lookback_exceeded", True),
        position_of("cleared", "system prompt changed.0"): ("system_prompt_changed", False),
        position_of("cleared", "lost on the server.0"): ("likely_server_side", False),
    }


def test_the_long_day_has_the_others() -> None:
    result = _causes("long")
    assert result[position_of("long", "tools changed")] == ("tools_changed", False)
    causes = [cause for cause, _ in result.values()]
    assert {"model_changed", "ttl_expired_5m", "compaction", "cache_deletion"} <= set(causes)


def test_where_the_api_says_so_itself_it_agrees() -> None:
    breaks = breaks_of(Transcript.objects.get(session_id=SESSIONS["long"], kind="main"))
    output = [item for item in breaks if item.server]
    assert [(line.server["reason"], line.agrees) for line in output] == [("tools_changed", True)]
