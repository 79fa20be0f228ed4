from __future__ import annotations

from functools import cache

from tests.demo.build import EXPECTED, README, TARGET, expected_text, readme_text
from tests.demo.story.demo import Demo, build


@cache
def demo() -> Demo:
    return build()


def test_the_committed_files_are_what_the_story_tells_byte_for_byte() -> None:
    committed = {path.relative_to(TARGET).as_posix(): path.read_bytes() for path in TARGET.rglob("*") if path.is_file()}
    assert sorted(committed) == sorted(demo().files)
    assert [path for path, data in demo().files.items() if committed[path] != data] == []


def test_building_twice_gives_the_same() -> None:
    assert build().files == demo().files


def test_the_expected_numbers_are_those_of_the_story() -> None:
    assert EXPECTED.read_text("utf-8") == expected_text(demo())


def test_the_table_of_what_stands_where_is_up_to_date() -> None:
    demo().expected()
    assert README.read_text("utf-8") == readme_text(demo())


def test_the_demo_is_small() -> None:
    assert sum(len(data) for data in demo().files.values()) < 1_500_000
