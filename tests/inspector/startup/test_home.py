from __future__ import annotations

import resource
import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from inspector.startup.home import secret_key


def test_the_secret_key_is_made_once_and_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    key = secret_key(home)
    assert len(key) > 50
    assert secret_key(home) == key
    assert stat.S_IMODE((home / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == ["secret.key"]


@pytest.mark.parametrize("left", [b"", b"\n", b"half-a-key", b"\xff\xfe" * 40, b"\0" * 30], ids=repr)
def test_what_a_bad_disk_left_of_a_key_is_replaced(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "secret.key").write_bytes(left)
    key = secret_key(tmp_path)
    assert len(key) == 64
    assert secret_key(tmp_path) == key
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_a_key_for_which_there_is_no_room_leaves_nothing(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(ImproperlyConfigured, match="cannot write to its home"):
            secret_key(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match="cannot write to its home"):
        secret_key(tmp_path / "file" / "home")
