"""The history of memory in PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.postgres.running import fresh_database
from tests.serving import lucid


def test_changes_are_noticed_and_undone(tmp_path: Path, postgres_url: str) -> None:
    database = fresh_database(postgres_url)
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "a.md").write_bytes(b"one\r\n\0\xff\n")
    (folder / "b.md").write_text("two\n")

    def run(*arguments: str) -> Any:
        done = lucid(tmp_path / "home", "memory", *arguments, "--json", DATABASE_URL=database)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    run("history", str(folder))
    (folder / "a.md").unlink()
    (folder / "b.md").rename(folder / "c.md")
    change, _ = run("history", str(folder))
    assert [(file["file"], file["action"]) for file in change["files"]] == [("a.md", "deleted"), ("c.md", "renamed")]
    run("undo", str(change["change"]))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.md": b"one\r\n\0\xff\n", "b.md": b"two\n"}
