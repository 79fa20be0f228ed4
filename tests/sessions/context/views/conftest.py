from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.written import Written


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
