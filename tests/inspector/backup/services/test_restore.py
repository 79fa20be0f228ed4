from __future__ import annotations

from pathlib import Path

from tests.inspector.backup.services.filling import answers, differences, filled, run


def test_a_restored_home_gives_the_same_answers(tmp_path: Path) -> None:
    filled(tmp_path, tmp_path / "first")
    made = run(tmp_path / "first", "backup", str(tmp_path / "backup.lucid"))
    expected = answers(tmp_path, tmp_path / "first")
    assert made["verified"] is True
    assert made["files"] == 3
    result = run(tmp_path / "second", "restore", str(tmp_path / "backup.lucid"))
    assert (result["reindexed"], result["aside"], result["tables"]) == (False, [], made["tables"])
    assert differences(expected, answers(tmp_path, tmp_path / "second")) == []
