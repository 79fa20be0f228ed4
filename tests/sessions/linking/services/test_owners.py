"""Sessions and their forks begin at the same moment: who owns what both hold."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from sessions.imports.services.sync import sync
from sessions.models import Request, Transcript
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db

ORIGIN, FORK, SECOND = (f"{digit * 8}-2222-4333-8444-555555555555" for digit in "951")
"""By name the origin is the last."""


def _origin() -> Writing:
    origin = Writing(session=ORIGIN)
    for turn in range(3):
        origin.turns(1)
        origin.state("last-prompt", lastPrompt=f"turn {turn}")
    return origin


def _forked(origin: Writing, session: str) -> Writing:
    """As the client forks: rows are repeated, what it noted between them is not."""
    fork = Writing(session=session, clock=origin.clock, leaf=origin.leaf, count=1_000)
    fork.records = [{**record, "sessionId": session} for record in origin.records if "uuid" in record]
    fork.turns(1)
    fork.state("last-prompt", lastPrompt="in the fork")
    return fork


def _owned(session: str) -> tuple[int, int]:
    requests = Request.objects.filter(transcript__session_id=session)
    return requests.filter(owned=True).count(), requests.filter(owned=False).count()


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_origin_owns_what_its_forks_repeat_whichever_is_read_first(tmp_path: Path, order: tuple[int, ...]) -> None:
    origin = _origin()
    fork = _forked(origin, FORK)
    second = _forked(fork, SECOND)
    paths = [item.save(tmp_path / "projects" / "-home-dev-tidewatch") for item in (origin, fork, second)]
    for position in order:
        sync([paths[position]], workers=1)
    assert [_owned(item) for item in (ORIGIN, FORK, SECOND)] == [(6, 0), (2, 6), (2, 8)]
    came = Transcript.objects.values_list("session_id", "forked_from__session_id")
    assert dict(came) == {ORIGIN: None, FORK: ORIGIN, SECOND: ORIGIN}


def test_an_origin_that_went_on_after_its_fork_still_owns_what_both_hold(tmp_path: Path) -> None:
    origin = _origin()
    fork = _forked(origin, FORK)
    origin.clock = fork.clock + 60_000
    origin.turns(2)
    for item in (origin, fork):
        item.save(tmp_path / "projects" / "-home-dev-tidewatch")
    sync([tmp_path], workers=1)
    assert (_owned(ORIGIN), _owned(FORK)) == ((10, 0), (2, 6))


def test_without_any_sign_the_file_that_ended_first_owns_them(tmp_path: Path) -> None:
    origin = Writing(session=ORIGIN).turns(2)
    fork = _forked(origin, FORK)
    for item in (origin, fork):
        item.save(tmp_path / "projects" / "-home-dev-tidewatch")
    sync([tmp_path], workers=1)
    assert (_owned(ORIGIN), _owned(FORK)) == ((4, 0), (2, 4))
