from __future__ import annotations

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


def test_an_empty_key_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("")
    assert secret_key(tmp_path) == secret_key(tmp_path) != ""


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match="cannot write to its home"):
        secret_key(tmp_path / "file" / "home")
