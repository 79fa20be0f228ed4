"""One file swapped: what somebody else wrote at the last moment is found, and put back."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memory.files.engine.disk import AlreadyThereError, DisturbedError, FileTroubleError, Folder, Swap, digest_of
from memory.files.engine.disk.atomic_rename import exchange_in_steps, move_in_steps


def swap(folder: Folder, before: bytes | None, after: bytes | None) -> Swap:
    old, new = (None if data is None else digest_of(data) for data in (before, after))
    return Swap(folder, "a.md", old, new, token="1-0", data=after or b"")


def there(path: Path) -> dict[str, bytes]:
    return {name: (path / name).read_bytes() for name in os.listdir(path)}


@pytest.mark.parametrize(("before", "after"), [(b"one", b"two"), (None, b"two"), (b"one", None)])
def test_a_swap_is_done_taken_back_and_leaves_nothing_beside(
    tmp_path: Path, before: bytes | None, after: bytes | None
) -> None:
    old = {} if before is None else {"a.md": before}
    for name, data in old.items():
        (tmp_path / name).write_bytes(data)
    with Folder(tmp_path.resolve()) as folder:
        item = swap(folder, before, after)
        item.prepare()
        item.apply()
        assert there(tmp_path).get("a.md") == after
        assert item.revert()
        assert there(tmp_path).get("a.md") == before
        item.finish()
        assert there(tmp_path) == old


@pytest.mark.parametrize("after", [b"two", None])
def test_what_somebody_wrote_at_the_last_moment_stays(tmp_path: Path, after: bytes | None) -> None:
    (tmp_path / "a.md").write_bytes(b"theirs")
    with Folder(tmp_path.resolve()) as folder:
        item = swap(folder, b"one", after)
        item.prepare()
        with pytest.raises(DisturbedError, match="changed by somebody else"):
            item.apply()
        item.finish()
    assert there(tmp_path) == {"a.md": b"theirs"}


def test_a_file_that_somebody_made_at_the_last_moment_stays(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"theirs")
    with Folder(tmp_path.resolve()) as folder:
        item = swap(folder, None, b"two")
        item.prepare()
        with pytest.raises(AlreadyThereError):
            item.apply()
        item.finish()
    assert there(tmp_path) == {"a.md": b"theirs"}


def test_what_somebody_wrote_after_a_swap_is_not_taken_back(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one")
    with Folder(tmp_path.resolve()) as folder:
        item = swap(folder, b"one", b"two")
        item.prepare()
        item.apply()
        (tmp_path / "a.md").write_bytes(b"theirs")
        assert not item.revert()
        item.finish()
    assert there(tmp_path) == {"a.md": b"theirs"}


@pytest.mark.parametrize("what", ["link", "directory"])
def test_a_link_or_a_directory_in_its_place_is_put_back(tmp_path: Path, what: str) -> None:
    folder_path = tmp_path / "memory"
    folder_path.mkdir()
    if what == "link":
        (folder_path / "a.md").symlink_to(tmp_path / "elsewhere")
    else:
        (folder_path / "a.md").mkdir()
    with Folder(folder_path.resolve()) as folder:
        item = swap(folder, b"one", b"two")
        item.prepare()
        with pytest.raises(DisturbedError):
            item.apply()
        item.finish()
    assert os.listdir(folder_path) == ["a.md"]
    assert (folder_path / "a.md").is_symlink() == (what == "link")


def test_file_systems_that_cannot_exchange_do_it_in_steps(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "two").write_bytes(b"2")
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        exchange_in_steps(fd, "one", "two")
        assert there(tmp_path) == {"one": b"2", "two": b"1"}
        with pytest.raises(FileExistsError):
            move_in_steps(fd, "one", "two")
        move_in_steps(fd, "one", "three")
        assert there(tmp_path) == {"two": b"1", "three": b"2"}
    finally:
        os.close(fd)


@pytest.mark.parametrize(("before", "after"), [(b"one", b"two"), (None, b"two"), (b"one", None)])
def test_a_swap_that_cannot_be_synced_is_taken_back_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes | None, after: bytes | None
) -> None:
    if before is not None:
        (tmp_path / "a.md").write_bytes(before)
    old = there(tmp_path)
    with Folder(tmp_path.resolve()) as folder:
        item = swap(folder, before, after)
        item.prepare()
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", _no_disk)
            with pytest.raises(FileTroubleError):
                item.apply()
        assert item.revert()
        item.finish()
    assert there(tmp_path) == old


def _no_disk(_: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))
