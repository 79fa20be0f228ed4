"""Whoever follows the tutorial sees what it says: the same words in it and on the pages of the demo."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from compaction.cache.services.scan import cache_scan_stale
from sessions.models import Transcript
from sessions.weights.selectors import transcripts_to_weigh
from sessions.weights.services.weighing import transcript_weigh
from tests.demo import names
from tests.demo.test_tutorial import WORDS
from tests.importing import imported
from tests.pages import fetch, flowing

pytestmark = pytest.mark.django_db

PAGES = [
    ("/", "Seven sessions and five sub-agents", r">7</a>\s*<span class=\"muted\">\+ 5 sub-agents<"),
    ("/", "used 2.0 million tokens", r"<dd>2\.0M</dd>"),
    ("/", '"at least" $2.73', r"at least</span> \$2\.73"),
    ("/", "six broken lines", r">6 broken lines\b"),
    ("/", "five unknown things", r">5 things in the records that Lucid does not know<"),
    (f"/sessions/{names.LONG}/context/", "request 79 of 79", r"Request 79 of 79"),
    (f"/sessions/{names.LONG}/context/", 'The label says "reconstructed"', r">reconstructed<"),
    (f"/sessions/{names.LONG}/context/", "three things that cannot be known", r"3 things cannot be known"),
    (
        f"/sessions/{names.LONG}/compactions/{names.uuid('long', 'manual boundary')}/",
        "156 records became a summary of about 975 tokens, and one was kept word for word",
        r"156 records became a summary of ~975 tokens; 15 records added; 1 record kept word for word",
    ),
    (
        f"/sessions/{names.LONG}/compactions/{names.uuid('long', 'auto boundary')}/",
        "came automatically, at 77.6k tokens",
        r"Compacted automatically at ~77\.6k tokens",
    ),
    (
        f"/sessions/{names.LONG}/compact/?kind=microcompact",
        "what it removes and loses",
        r"<i>Removes</i>.*<i>Loses</i>",
    ),
    (f"/sessions/{names.LONG}/cache/", "The cache broke six times", r"broke 6 times unexpectedly"),
    (f"/sessions/{names.LONG}/cache/", "which cost at least $0.26", r"which cost at least \$0.26"),
    (f"/sessions/{names.LONG}/cache/{names.BROKE}/", "is request 28: a tool was added", r"request 28 of 79.*1 added"),
    (
        f"/sessions/{names.LONG}/cache/{names.BROKE}/",
        "so 21.4k tokens were sent again",
        r"21\.4k tokens that the cache",
    ),
    (f"/sessions/{names.SURVEY}/agents/", "Four agents: three ended, one failed", r"4 agents.*3 ended.*1 failed"),
    ("/search/?q=neap", "eight hits", r"8 hits"),
]


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR), django_db_blocker.unblock():
        for pk in transcripts_to_weigh():
            transcript_weigh(transcript=Transcript.objects.get(pk=pk))
        cache_scan_stale()
        yield


@pytest.mark.parametrize(("address", "words", "shown"), PAGES, ids=[words for _, words, _ in PAGES])
def test_the_page_shows_what_the_tutorial_says(client: Client, address: str, words: str, shown: str) -> None:
    assert words in WORDS
    assert re.search(shown, flowing(fetch(client, address)), re.DOTALL), shown


def test_every_page_that_the_tutorial_opens_is_there(client: Client) -> None:
    addresses = re.findall(r"\(http://127\.0\.0\.1:8765(/[^)]*)\)", WORDS)
    assert len(addresses) > 10
    for address in addresses:
        if not address.startswith("/memory/"):
            assert client.get(unquote(address)).status_code == 200, address


def test_the_memory_is_as_healthy_as_it_says() -> None:
    memory = Path(settings.DEMO_DIR) / "projects" / "-home-dev-tidewatch" / "memory"
    out = StringIO()
    call_command("memory", "lint", str(memory), "--json", stdout=out)
    assert "Its health is 40 of 100" in WORDS
    assert json.loads(out.getvalue())["health"]["score"] == 40
