from __future__ import annotations

from pathlib import Path

import pytest

from sessions.models import Request, Transcript
from sessions.requests.selectors.warmth import cache_warmth
from tests.compaction.cache.cached_session import Cached
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
MINUTE = 60_000


def session(tmp_path: Path, ttl: str) -> tuple[Transcript, int]:
    mark = {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}
    transcript = Cached(project=tmp_path / "projects" / "-home-dev-tidewatch", mark=mark).warm().read()
    last = Request.objects.latest("at").at
    assert last is not None
    return transcript, last


@pytest.mark.parametrize(
    ("ttl", "minutes", "warm"), [("", 4, True), ("", 6, False), ("1h", 59, True), ("1h", 61, False)]
)
def test_it_is_warm_as_long_as_what_was_written_lives(tmp_path: Path, ttl: str, minutes: int, warm: bool) -> None:
    transcript, last = session(tmp_path, ttl)
    warmth = cache_warmth(transcript, last + minutes * MINUTE)
    assert warmth.is_warm is warm
    assert ("is cached for another" if warm else "nothing is cached") in warmth.sentence


def test_a_session_that_never_wrote_or_never_asked_has_nothing_cached(tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.user("How high?")
    assert "not recorded" in cache_warmth(file.read(), 0).sentence
    file.assistant("4 m", usage={"input_tokens": 9, "output_tokens": 2})
    assert "never wrote" in cache_warmth(file.read(), 0).sentence
