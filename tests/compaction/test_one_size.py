"""One thing has one size, on every page and in every command: over the demo."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from sessions.models import Transcript
from sessions.weights.selectors import transcripts_to_weigh
from sessions.weights.services.weighing import transcript_weigh
from tests.demo import names
from tests.importing import imported
from tests.size_walk import SizeWalk

pytestmark = pytest.mark.django_db
KINDS = {"full": (), "microcompact": ("--set", "mode=cached", "--set", "trigger=2", "--set", "keep=1"), "auto": ()}


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR):
        yield


def weigh_all() -> None:
    for pk in transcripts_to_weigh():
        transcript_weigh(transcript=Transcript.objects.get(pk=pk))


def test_one_thing_has_one_size_wherever_it_appears(client: Client) -> None:
    weigh_all()
    walk = SizeWalk(client)
    for transcript in Transcript.objects.filter(requests__gt=0):
        walk.transcript(transcript)
    assert walk.contradictions == {}
    several = [thing for thing, places in walk.places.items() if len(places) > 1]
    for of in ("whole prompt request", "whole prompt point", "messages only point", "message request"):
        assert any(thing.startswith(of) for thing in several), of


@pytest.mark.parametrize("kind", KINDS)
def test_a_compaction_made_here_has_one_size_wherever_it_appears(client: Client, kind: str) -> None:
    weigh_all()
    walk = SizeWalk(client)
    transcript = Transcript.objects.get(public_id=names.LONG)
    walk.page(f"/sessions/{names.LONG}/context/?next=1")
    walk.compaction(transcript, kind, *KINDS[kind])
    assert walk.contradictions == {}
    assert any(thing.startswith("whole prompt after") and len(places) > 2 for thing, places in walk.places.items())
