from __future__ import annotations

import time

import pytest

from inspector.agents.cancel import CancelToken
from inspector.agents.errors import CancelledError


def test_a_child_ends_with_its_parent_and_not_the_other_way_round() -> None:
    parent = CancelToken()
    first, other = parent.child(), parent.child()
    first.cancel()
    assert (parent.is_cancelled, first.is_cancelled, other.is_cancelled) == (False, True, False)
    parent.cancel()
    assert other.is_cancelled


def test_a_probe_is_asked_until_it_says_so() -> None:
    answers = iter([False, True])
    token = CancelToken(probe=lambda: next(answers))
    assert [token.is_cancelled, token.is_cancelled, token.is_cancelled] == [False, True, True]


def test_sleeping_ends_when_it_is_cancelled() -> None:
    began = time.monotonic()
    token = CancelToken(probe=lambda: time.monotonic() - began > 0.2)
    with pytest.raises(CancelledError):
        token.sleep(30)
    assert time.monotonic() - began < 5


def test_sleeping_takes_its_time_otherwise() -> None:
    began = time.monotonic()
    CancelToken().sleep(0.15)
    assert time.monotonic() - began >= 0.14
