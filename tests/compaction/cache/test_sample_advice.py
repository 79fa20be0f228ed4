"""Advice on the lifetime of the cache, held against what each of the samples paid."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from compaction.cache.selectors.breaks import breaks_of
from compaction.cache.selectors.calls import family_of
from compaction.cache.services.scan import cache_scan_stale
from sessions.models import Transcript
from tests.compaction.cache.engine.costs.advice_check import check_advice
from tests.importing import imported
from tests.samples import SHARED, needs_samples

pytestmark = [needs_samples, pytest.mark.django_db]
PARTS = ("corpus", "realclient")


@pytest.fixture(scope="module", params=PARTS, autouse=True)
def part(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with imported(django_db_blocker, (SHARED / request.param).resolve()):
        yield request.param


def test_it_contradicts_no_session(part: str) -> None:
    cache_scan_stale()
    used = []
    for session in Transcript.objects.filter(kind=Transcript.Kind.MAIN, parent=None, requests__gt=0):
        causes = dict(breaks_of(session).values_list("message_id", "cause"))
        used.append(check_advice(family_of(session).all_calls, causes).used)
    assert len(used) > 10
    assert any(used)
