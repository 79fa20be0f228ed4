"""A home from before there were hashes: it is migrated, and gets them at the first check."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.archives import large_archive
from tests.serving import lucid


def rows(home: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(home / "lucid.sqlite3", timeout=30)) as connection:
        return connection.execute(sql).fetchall()


def test_the_blocks_of_an_older_home_get_their_hashes_at_the_first_check(tmp_path: Path) -> None:
    home = tmp_path / "home"
    # The migrations of the others build on the newest of these, so they go back too.
    for app, name in (("compaction", "0003"), ("transcripts", "0007")):
        result = lucid(home, "migrate", app, name, "--verbosity", "0")
        assert result.returncode == 0, result.stderr
    columns = {row[1] for row in rows(home, "PRAGMA table_info(transcripts_block)")}
    assert columns == {"id", "data"}
    large_archive(home / "lucid.sqlite3", 40)
    before = rows(home, "SELECT id, data FROM transcripts_block ORDER BY id")
    result = lucid(home, "check", "--json")
    assert (result.returncode, json.loads(result.stdout)["blocks"]) == (0, 40), result.stderr
    assert rows(home, "SELECT id, data FROM transcripts_block ORDER BY id") == before
    assert rows(home, "SELECT count(*) FROM transcripts_block WHERE content_hash IS NULL OR frame_hash IS NULL") == [
        (0,)
    ]
