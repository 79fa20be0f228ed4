from __future__ import annotations

import os
import resource
import signal
import time
from pathlib import Path

import pytest

from sessions.archive.engine.durable_files import (
    DAY_SECONDS,
    DRAFT,
    LEFT_SECONDS,
    create_durably,
    drafts_sweep,
    folders_sweep,
    replace_durably,
)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "key"
    replace_durably(path, b"old")
    replace_durably(path, b"new", mtime_ns=1_000_000_000)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mtime_ns == 1_000_000_000
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["key"]


def test_what_is_there_is_not_created_anew(tmp_path: Path) -> None:
    path = tmp_path / "key"
    create_durably(path, b"first")
    with pytest.raises(FileExistsError):
        create_durably(path, b"second")
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["key"]


def test_what_does_not_fit_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "key"
    replace_durably(path, b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="large"):
            replace_durably(path, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["key"]


def test_only_what_was_left_long_ago_is_swept(tmp_path: Path) -> None:
    draft, other = tmp_path / f".key.0123{DRAFT}", tmp_path / ".keep"
    folder = tmp_path / "working"
    (folder / "extraction-x").mkdir(parents=True)
    draft.touch()
    other.touch()
    now = time.time()
    drafts_sweep(tmp_path, now)
    folders_sweep(folder, now)
    assert draft.exists()
    assert (folder / "extraction-x").exists()
    drafts_sweep(tmp_path, now + LEFT_SECONDS + 60)
    folders_sweep(folder, now + DAY_SECONDS + 60)
    assert sorted(os.listdir(tmp_path)) == [".keep", "working"]
    assert not os.listdir(folder)
