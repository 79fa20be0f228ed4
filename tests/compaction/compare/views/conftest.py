from __future__ import annotations

from pathlib import Path

import pytest

from compaction.compare.selectors import comparisons
from tests.sessions.written import Written


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    comparisons._cache.clear()
