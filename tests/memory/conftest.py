from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.browsing import Person
from tests.model_fixtures import home, server

__all__ = ["home", "server"]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path / "projects" / "-home-dev-boat" / "memory")
    person.fill()
    return person
