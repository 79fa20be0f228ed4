from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.dreams.dream_runs import FOG, TIDES
from tests.memory.remembering import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "projects" / "-home-dev-tidewatch" / "memory")
    shelf.outside("MEMORY.md", b"- [Tides](tides.md)\n- [Gone](gone.md)\n- [Fog](fog.md)\n")
    shelf.outside("tides.md", TIDES)
    shelf.outside("fog.md", FOG)
    return shelf
