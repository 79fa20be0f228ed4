"""Two hosts on one PostgreSQL, each with its own tree under the same path, or both with the same one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.postgres.running import fresh_database, rows
from tests.serving import lucid
from tests.sessions.writing import Writing

ENTRIES = "SELECT count(*) FROM transcripts_entry"
SOURCES = "SELECT host, state, count(*) FROM transcripts_source GROUP BY 1, 2 ORDER BY 1, 2"
ONE, OTHER = "11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000"


class Hosts:
    """Both see their tree under one path: whoever imports finds it there, and the other's is away."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.config = folder / "config"

    def tree(self, host: str) -> Path:
        """Where the sessions of a project of this host are while it is away."""
        return self.folder / f"tree-{host}" / "projects" / "-home-dev-atlas"

    def imports(self, host: str) -> dict[str, Any]:
        tree = self.folder / f"tree-{host}"
        tree.rename(self.config)
        try:
            result = lucid(
                self.folder / f"home-{host}",
                "import",
                str(self.config),
                "--json",
                DATABASE_URL=self.database,
                LUCID_HOST=host,
            )
        finally:
            self.config.rename(tree)
        assert result.returncode == 0, result.stderr
        report: dict[str, Any] = json.loads(result.stdout)
        assert report["failed"] == []
        return report


@pytest.fixture
def hosts(tmp_path: Path, postgres_url: str) -> Hosts:
    return Hosts(tmp_path, fresh_database(postgres_url))


def test_trees_that_differ_under_one_path_are_both_kept(hosts: Hosts) -> None:
    Writing(session=ONE).turns(5).save(hosts.tree("a"))
    Writing(session=OTHER).turns(5).save(hosts.tree("b"))
    assert hosts.imports("a")["new_entries"] == 20
    assert hosts.imports("b")["new_entries"] == 20
    assert rows(hosts.database, SOURCES) == [("a", "present", 1), ("b", "present", 1)]
    assert [hosts.imports(host)["rows_written"] for host in ("a", "b", "a")] == [0, 0, 0]
    next(hosts.tree("a").glob("*.jsonl")).unlink()
    hosts.imports("b")
    hosts.imports("a")
    assert rows(hosts.database, SOURCES) == [("a", "vanished", 1), ("b", "present", 1)]


def test_a_tree_that_both_mount_is_stored_once(hosts: Hosts) -> None:
    writing = Writing(session=ONE).turns(5)
    path = writing.save(hosts.tree("a"))
    assert hosts.imports("a")["new_entries"] == 20
    shutil.copytree(hosts.folder / "tree-a", hosts.folder / "tree-b")
    second = hosts.imports("b")
    assert (second["new_entries"], second["entries"], second["rows_written"]) == (0, 20, 0)
    # It grows, and either of them may be the first to see that.
    writing.turns(1).save(path.parent)
    shutil.rmtree(hosts.folder / "tree-b")
    shutil.copytree(hosts.folder / "tree-a", hosts.folder / "tree-b")
    assert [hosts.imports(host)["new_entries"] for host in ("b", "a")] == [4, 0]
    assert rows(hosts.database, ENTRIES) == [(24,)]


def test_a_copy_that_has_fallen_behind_is_nothing_new(hosts: Hosts) -> None:
    writing = Writing(session=ONE).turns(5)
    writing.save(hosts.tree("b"))
    writing.turns(5).save(hosts.tree("a"))
    hosts.imports("a")
    assert [hosts.imports(host)["rows_written"] for host in ("b", "a", "b")] == [0, 0, 0]
    assert rows(hosts.database, ENTRIES) == [(40,)]


def test_a_session_that_went_on_differently_on_another_host_is_a_file_of_its_own(hosts: Hosts) -> None:
    Writing(session=ONE).turns(5).save(hosts.tree("a"))
    hosts.imports("a")
    changed = Writing(session=ONE).turns(3)
    changed.user("Only the other host has seen this.")
    changed.save(hosts.tree("b"))
    assert hosts.imports("b")["entries"] == 13
    assert hosts.imports("a")["entries"] == 20
    assert [hosts.imports(host)["rows_written"] for host in ("b", "a", "b")] == [0, 0, 0]
    assert rows(hosts.database, SOURCES) == [("a", "present", 1), ("b", "present", 1)]
    sound = lucid(hosts.folder / "home-a", "check", "--json", DATABASE_URL=hosts.database, LUCID_HOST="a")
    assert json.loads(sound.stdout)["doubles"] == []
