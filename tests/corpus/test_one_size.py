"""One thing has one size, on every page and in every command: over the shared samples."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from sessions.catalog.selectors.sessions import current_sessions
from sessions.imports.services.report import Report
from sessions.models import Transcript
from sessions.weights.selectors import KINDS, transcripts_to_weigh
from sessions.weights.services.weighing import transcript_weigh
from tests.size_walk import SizeWalk

pytestmark = [pytest.mark.django_db, pytest.mark.long]


@pytest.fixture(scope="module")
def weighed(report: Report, django_db_blocker: DjangoDbBlocker) -> Report:
    with django_db_blocker.unblock():
        for pk in transcripts_to_weigh():
            transcript_weigh(transcript=Transcript.objects.get(pk=pk))
    return report


def test_one_thing_has_one_size_wherever_it_appears(weighed: Report, client: Client) -> None:
    walk = SizeWalk(client)
    measured = Transcript.objects.filter(kind__in=KINDS, requests__gt=0)
    compacted = measured.filter(compactions__gt=0)
    others = measured.filter(compactions=0).order_by("public_id")
    for transcript in (*compacted, *others[:12]):
        walk.transcript(transcript)
    for session in current_sessions():
        walk.session(session)
    walk.lists()
    for transcript in compacted[:3]:
        walk.compaction(transcript, "full")
    assert walk.contradictions == {}
    assert sum(len(places) > 1 for places in walk.places.values()) > 100
