from __future__ import annotations

import os
from pathlib import Path

from sessions.search.engine.needles import Needle
from sessions.search.selectors.file_search import PIECE, ArchivedFile, FileScanner, group_files

NEEDLE = Needle.of("Marmalade")


def place_of(path: Path, content: bytes) -> ArchivedFile:
    path.write_bytes(content)
    status = path.stat()
    return ArchivedFile(1, str(path), status.st_size, status.st_mtime_ns)


def test_it_finds_every_place_whatever_the_case(tmp_path: Path) -> None:
    place = place_of(tmp_path / "one", b"marmalade, MARMALADE; jam " * 2)
    assert FileScanner(NEEDLE).find_offsets(place) == [0, 11, 26, 37]


def test_it_finds_what_lies_across_two_pieces_once(tmp_path: Path) -> None:
    scanner = FileScanner(NEEDLE)
    for before in range(PIECE - 12, PIECE + 3):
        content = b"." * before + b"marmalade" + b"." * PIECE
        assert scanner.find_offsets(place_of(tmp_path / "one", content)) == [before]


def test_what_an_earlier_file_held_is_not_found_in_the_next(tmp_path: Path) -> None:
    scanner = FileScanner(NEEDLE)
    assert scanner.find_offsets(place_of(tmp_path / "one", b"....marmal")) == []
    assert scanner.find_offsets(place_of(tmp_path / "two", b"ade.......")) == []
    assert scanner.find_offsets(place_of(tmp_path / "three", b"")) == []


def test_a_file_that_changed_is_left_to_the_archive(tmp_path: Path) -> None:
    place = place_of(tmp_path / "one", b"marmalade")
    os.utime(place.path, ns=(1, 1))
    assert FileScanner(NEEDLE).find_offsets(place) is None
    Path(place.path).unlink()
    assert FileScanner(NEEDLE).find_offsets(place) is None


def test_groups_cover_all_places_in_order_and_begin_small() -> None:
    places = [ArchivedFile(number, "", size, 0) for number, size in enumerate([1, 5, 1, 1, 9, 9, 9, 1, 1, 1, 1])]
    groups = group_files(places, 2, 8)
    assert [number for group in groups for number in group] == list(range(len(places)))
    assert [sum(places[number].size for number in group) for group in groups] == [6, 11, 9, 9, 4]
    assert group_files([], 2, 8) == []
