from __future__ import annotations

import pytest

from memory.dreams.services.dream_lock import NOTE, dreams_clean_up, workspaces_folder

GARBAGE = [
    b"",
    b"{",
    b"[]",
    b"5",
    b"null",
    b"{}",
    b'{"directory": 1, "pid": null, "before_ns": 3}',
    b"\xff",
    b"[" * 100_000,
]


@pytest.mark.parametrize("left", GARBAGE)
def test_what_a_bad_disk_left_of_a_note_holds_no_dream_up(left: bytes) -> None:
    place = workspaces_folder() / "run-1"
    place.mkdir(parents=True)
    (place / NOTE).write_bytes(left)
    dreams_clean_up()
    assert not place.exists()
