from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inspector.owner.access_tokens import FOLDER, LIFETIME_SECONDS, token_create, token_use


def test_a_token_lets_in_once(tmp_path: Path) -> None:
    token = token_create(tmp_path)
    assert token_use(tmp_path, token)
    assert not token_use(tmp_path, token)


def test_the_home_does_not_hold_the_token(tmp_path: Path) -> None:
    token = token_create(tmp_path)
    (file,) = (tmp_path / FOLDER).iterdir()
    assert token not in file.name
    assert file.read_bytes() == b""
    assert file.stat().st_mode & 0o777 == 0o600


def test_of_many_who_use_it_at_once_one_gets_in(tmp_path: Path) -> None:
    token = token_create(tmp_path)
    with ThreadPoolExecutor(16) as pool:
        let_in = list(pool.map(lambda _: token_use(tmp_path, token), range(200)))
    assert let_in.count(True) == 1


def test_an_old_token_lets_nobody_in_and_is_forgotten(tmp_path: Path) -> None:
    token = token_create(tmp_path)
    (file,) = (tmp_path / FOLDER).iterdir()
    os.utime(file, (0, time.time() - LIFETIME_SECONDS - 1))
    second = token_create(tmp_path)
    assert not file.exists()
    assert not token_use(tmp_path, token)
    assert token_use(tmp_path, second)


def test_anything_else_lets_nobody_in(tmp_path: Path) -> None:
    token_create(tmp_path)
    for other in ("", "../entry", "/etc/passwd", "\0", "é", "x" * 10_000):
        assert not token_use(tmp_path, other)
