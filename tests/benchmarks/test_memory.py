from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.ours import memory


@pytest.mark.long
def test_a_directory_of_memory_gets_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "FEW", 3)
    monkeypatch.setattr(memory, "MANY", 60)
    rows = memory.memory_rows(tmp_path, 1)
    assert [row.what for row in rows] == ["index and topics", "size of the page", "most queries", "lint, as a command"]
    assert {row.part for row in rows} == {"memory of 60"}
    assert all(row.value > 0 for row in rows)
    assert len(list((tmp_path / "memory" / "-home-dev-60" / "memory").iterdir())) == 61
