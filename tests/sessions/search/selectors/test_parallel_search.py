from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from sessions.search.engine.needles import Needle
from sessions.search.selectors import parallel_search
from sessions.search.selectors.file_search import ArchivedFile, FileScanner
from sessions.search.selectors.parallel_search import find_offsets_in_parallel
from tests.sessions.search.selectors.test_file_search import place_of

NEEDLE = Needle.of("marmalade")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ArchivedFile]:
    monkeypatch.setattr(parallel_search, "FIRST_GROUP", 100)
    monkeypatch.setattr(parallel_search, "LARGEST_GROUP", 500)
    return [place_of(tmp_path / str(number), b"." * number + b"marmalade" * (number % 3)) for number in range(200)]


def test_several_processes_find_what_one_does_in_the_same_order(places: list[ArchivedFile]) -> None:
    alone = [FileScanner(NEEDLE).find_offsets(place) for place in places]
    assert [len(result or []) for result in alone[:4]] == [0, 1, 2, 0]
    for processes in (1, 2, 3):
        assert list(find_offsets_in_parallel(places, NEEDLE, processes)) == alone


def test_whoever_stops_early_leaves_no_process_behind(places: list[ArchivedFile]) -> None:
    offsets = find_offsets_in_parallel(places, NEEDLE, 2)
    next(offsets)
    offsets.close()
    assert multiprocessing.active_children() == []


def test_what_a_killed_process_owed_is_left_to_the_archive(places: list[ArchivedFile]) -> None:
    alone = [FileScanner(NEEDLE).find_offsets(place) for place in places]
    many = places * 200  # so much that the pipes are full before the processes are killed
    offsets = find_offsets_in_parallel(many, NEEDLE, 2)
    first = next(offsets)
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    rest = [first, *offsets]
    assert len(rest) == len(many)
    assert rest[-1] is None
    assert all(item is None or item == alone[number % len(alone)] for number, item in enumerate(rest))
