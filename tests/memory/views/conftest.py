from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.views.browsing import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path / "projects" / "-home-dev-boat" / "memory")
    person.fill()
    return person
