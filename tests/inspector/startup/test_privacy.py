from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.startup.privacy import tighten_home
from tests.serving import lucid, serving, wait_until


def modes(home: Path) -> set[int]:
    return {path.lstat().st_mode & 0o777 for path in (home, *home.rglob("*")) if not path.is_symlink()}


def test_an_open_home_is_closed_by_any_command(ready_home: Path) -> None:
    home = ready_home
    assert lucid(home, "sessions", "--json").returncode == 0
    (home / "backups").mkdir(exist_ok=True)
    (home / "backups" / "old.sqlite3").write_bytes(b"old")
    for path in (home, *home.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    result = lucid(home, "sessions", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert modes(home) <= {0o700, 0o600}


def test_links_are_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    (elsewhere / "file").touch(0o644)
    elsewhere.chmod(0o755)
    (elsewhere / "file").chmod(0o644)
    home = tmp_path / "home"
    home.mkdir()
    (home / "file").symlink_to(elsewhere / "file")
    (home / "folder").symlink_to(elsewhere)
    assert tighten_home(home) is None
    assert elsewhere.stat().st_mode & 0o777 == 0o755
    assert (elsewhere / "file").stat().st_mode & 0o777 == 0o644


def test_a_home_of_somebody_else_is_told_in_one_sentence(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if folder not in (Path("/"), Path("/tmp")):
            folder.chmod(0o755)
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        sentence = tighten_home(home) or ""
        os._exit(0 if sentence.startswith(f"Others may be able to read {home}") and "\n" not in sentence else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_a_server_writes_is_closed_from_the_beginning(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home, "--demo") as server:
        wait_until(lambda: any(home.glob("workers/*")) and (home / "logs" / "lucid.log").exists())
        for path in (*home.glob("workers/*"), *home.glob("logs/*")):
            assert path.lstat().st_mode & 0o777 == 0o600, path
        assert server.get("/health/").status in (200, 503)
