"""A recording proves a habit if it is exact with that alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from sessions.context.engine import habits
from tests.importing import imported
from tests.truth.recordings import FOLDER
from tests.truth.trial import Trial, other_values, supposed, trials

VERSION, RUN = "2.1.160", FOLDER / "2.1.160" / "switch"
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, RUN / "projects"):
        yield


def test_what_is_exact_with_one_value_alone_proves_it() -> None:
    requests, exact, different = trials(RUN, VERSION)
    assert exact == requests
    assert Trial("drops_foreign_thinking", False, 2) in different
    assert all(trial.exact < exact for trial in different)


def test_only_other_values_are_tried() -> None:
    tried = list(other_values(VERSION))
    assert ("has_system_role", False) in tried
    assert ("has_system_role", True) not in tried
    assert len(tried) == len(set(map(repr, tried)))


def test_a_supposed_habit_is_gone_afterwards() -> None:
    before = habits.habits_of((2, 1, 160))
    with supposed("has_system_role", False):
        assert habits.habits_of((2, 1, 160))["has_system_role"] is False
    assert habits.habits_of((2, 1, 160)) == before
