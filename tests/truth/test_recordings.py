"""What the real client sent, as it was recorded: Lucid says the same of it in a plain clone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.importing import imported
from tests.truth.judging import judge
from tests.truth.misses import UNEXPLAINED
from tests.truth.recordings import FOLDER, TRUTH, mask_of, summary
from tests.truth.wire import FILE

RECORDINGS = sorted(path.parent for path in FOLDER.glob("*/*/requests.jsonl"))
MOST_BYTES = 10_000_000
pytestmark = pytest.mark.django_db


def name(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


@pytest.fixture(scope="module", autouse=True)
def _imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, *(folder / "projects" for folder in RECORDINGS)):
        yield


@pytest.mark.parametrize("folder", RECORDINGS, ids=name)
def test_what_lucid_says_of_a_recording_is_what_it_said_when_the_client_was_there(folder: Path) -> None:
    judgement = judge(folder, folder.parent.name)
    assert summary(judgement) == json.loads((folder / TRUTH).read_text("utf-8"))
    assert [miss for miss in judgement.misses if miss.cause == UNEXPLAINED] == []


@pytest.mark.parametrize("folder", RECORDINGS, ids=name)
def test_a_recording_holds_none_of_the_clients_own_texts(folder: Path) -> None:
    mask = mask_of(folder)
    for path in sorted((folder / "projects").rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            assert mask.value(record) == record


def test_the_recordings_are_there_and_small() -> None:
    versions = {folder.parent.name for folder in RECORDINGS}
    assert len(versions) >= 4
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < MOST_BYTES


def test_the_recordings_hold_what_the_tests_are_about() -> None:
    """Lest the others pass because nothing is there to find."""
    result = [json.loads((folder / TRUTH).read_text("utf-8")) for folder in RECORDINGS]
    assert sum(item["requests"] for item in result) >= 100
    assert sum(item["agents"] for item in result) >= 4
    assert sum(item["breaks"][0] for item in result) >= 4
    assert all((folder / FILE).stat().st_size for folder in RECORDINGS)
