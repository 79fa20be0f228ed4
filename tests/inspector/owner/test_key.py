from __future__ import annotations

from pathlib import Path

import pytest

from inspector.owner.key import COOKIE_SECONDS, OwnerKey, owner_key, owner_key_replace

NOW = 1_800_000_000.0


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    key = owner_key(tmp_path)
    assert owner_key(tmp_path) == key
    assert (tmp_path / "owner.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["owner.key"]


def test_a_cookie_is_admitted_until_it_is_old() -> None:
    key = OwnerKey(b"secret")
    cookie = key.cookie(NOW)
    assert key.admits(cookie, NOW + COOKIE_SECONDS - 1)
    assert not key.admits(cookie, NOW + COOKIE_SECONDS + 1)


@pytest.mark.parametrize(
    "forged", ["", ".", "x.y.z", f"{int(NOW)}.aa.", f"{int(NOW)}.aa.{'0' * 64}", "é.ü.ß", "9" * 5000]
)
def test_a_forged_cookie_is_not_admitted(forged: str) -> None:
    assert not OwnerKey(b"secret").admits(forged, NOW)


def test_a_changed_cookie_is_not_admitted() -> None:
    key = OwnerKey(b"secret")
    when, nonce, signature = key.cookie(NOW).split(".")
    assert not key.admits(f"{int(when) + 1}.{nonce}.{signature}", NOW)
    assert not OwnerKey(b"another").admits(key.cookie(NOW), NOW)


def test_a_new_key_ends_what_the_old_one_admitted(tmp_path: Path) -> None:
    old = owner_key(tmp_path)
    cookie = old.cookie(NOW)
    owner_key_replace(tmp_path)
    assert not owner_key(tmp_path).admits(cookie, NOW)
    assert owner_key(tmp_path).capture_secret != old.capture_secret


@pytest.mark.parametrize("left", [b"", b"\n", b"\0" * 20, b"half-a-key"], ids=repr)
def test_what_a_bad_disk_left_of_a_key_lets_nobody_in(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "owner.key").write_bytes(left)
    forged = OwnerKey(left.strip()).cookie(NOW)
    key = owner_key(tmp_path)
    assert not key.admits(forged, NOW)
    assert len(key.secret) == 64
    assert owner_key(tmp_path) == key
    assert (tmp_path / "owner.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["owner.key"]


def test_a_key_that_is_cut_off_while_the_server_runs_is_noticed(tmp_path: Path) -> None:
    before = owner_key(tmp_path)
    (tmp_path / "owner.key").write_bytes(b"")
    assert owner_key(tmp_path).secret not in (b"", before.secret)
