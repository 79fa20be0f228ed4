"""What the agent gets of an index. The sizes and the words of the warnings are those that were seen in the wild."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.engine.reading import INDEX_NAME, Fate, load_index, parse_file, read_index
from tests.samples import SHARED, needs_samples

RECORDED = SHARED / "realclient" / "memory" / "projects" / "-home-dev-work-memory"
TAIL = "Only part of it was loaded. Keep index entries to one line under ~200 chars; move detail into topic files."


def lines(count: int, width: int) -> str:
    return "\n".join(f"L{number:05}".ljust(width, "x") for number in range(1, count + 1))


@pytest.mark.parametrize(
    ("text", "loaded", "size", "warning"),
    [
        (lines(200, 20), 200, 4_199, ""),
        (lines(201, 20), 200, 4_199, f"WARNING: MEMORY.md is 201 lines (limit: 200). {TAIL}"),
        (lines(300, 100), 200, 20_199, f"WARNING: MEMORY.md is 300 lines and 29.6KB. {TAIL}"),
        ("x" * 25_000, 1, 25_000, ""),
        ("x" * 25_000 + "\n\n\n", 1, 25_001, ""),
        ("x" * 28_000, 1, 25_000, f"WARNING: MEMORY.md is 27.3KB (limit: 24.4KB) — index entries are too long. {TAIL}"),
        (
            lines(180, 147),
            168,
            168 * 148 - 1,
            f"WARNING: MEMORY.md is 26KB (limit: 24.4KB) — index entries are too long. {TAIL}",
        ),
        ("", 0, 0, ""),
        ("\n \n", 0, 0, ""),
    ],
)
def test_an_index_is_cut_at_its_lines_and_bytes_with_a_warning(text: str, loaded: int, size: int, warning: str) -> None:
    index = load_index(text)
    assert (index.lines, index.bytes, index.warning) == (loaded, size, warning)
    assert len(index.text.encode()) <= 25_000
    assert index.agent_text == (f"{index.text}\n\n> {warning}" if warning else index.text)


def test_bytes_are_counted_and_no_character_is_cut_in_two() -> None:
    index = load_index("é" * 20_000)
    assert (index.text, index.fates) == ("é" * 12_500, (Fate.PARTLY,))
    assert load_index("é" * 100 + "\n" + "é" * 12_400).lines == 1


def test_every_line_has_its_fate() -> None:
    text = "---\nname: x\n---\n\n<!-- two\nlines -->\n# Memory\n```\n<!-- code -->\n```\n<!-- one --> rest\nend\n\n"
    index = load_index(text)
    assert index.text == "# Memory\n```\n<!-- code -->\n```\n rest\nend"
    assert [fate is Fate.LOADED for fate in index.fates] == [False] * 6 + [True] * 6 + [False]
    assert index.cut_lines == ()


def test_the_lines_that_are_cut_are_known() -> None:
    index = read_index(parse_file(INDEX_NAME, lines(203, 20).encode()))
    assert index.loaded.cut_lines == (201, 202, 203)
    assert [line.number for line in index.lines if line.fate is Fate.CUT] == [201, 202, 203]
    assert (index.loaded_lines, index.loaded_bytes) == (200, 4_199)


@given(st.text(alphabet="ab \n\r\u2028é<!->", max_size=300), st.integers(1, 400))
def test_what_is_loaded_stays_within_the_limits_and_comes_from_the_file(text: str, times: int) -> None:
    text = (text + "\n") * times
    index = load_index(text)
    assert len(index.text.encode()) <= 25_000
    assert index.text.count("\n") < 200
    assert len(index.fates) == text.count("\n")
    assert bool(index.cut_lines) == bool(index.warning)
    if not index.warning and "<" not in text:
        assert index.text == text.strip()


@needs_samples
def test_the_client_was_given_exactly_this() -> None:
    given_ = [
        file["content"]
        for row in map(
            orjson.loads, (RECORDED / "0ca5c391-7182-401e-a6b8-3d71a6e85419.jsonl").read_bytes().splitlines()
        )
        for file in row.get("attachment", {}).get("files", ())
        if file["type"] == "AutoMem"
    ]
    assert given_ == [load_index((RECORDED / "memory" / INDEX_NAME).read_text()).agent_text]
