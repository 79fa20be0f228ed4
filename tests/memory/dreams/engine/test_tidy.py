"""What can be put in order without a model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.dreams.engine.index_tidy import OVERFLOW
from memory.dreams.engine.tidy import TidyResult, tidy
from memory.files.engine.reading import MemoryDirectory, directory_from_contents, parse_file
from memory.files.engine.reading.file import RECOVERED
from memory.files.engine.reading.loaded_text import MOST_BYTES, MOST_LINES
from memory.lint.engine import Surroundings, lint
from memory.lint.engine.rules.pointers import format_pointer
from memory.proposals.engine.facts import compare_facts, facts_of

NOW = datetime(2026, 11, 16, tzinfo=UTC)
WRITTEN = datetime(2026, 3, 4, 12, tzinfo=UTC)


def topic(name: str, body: str, description: str = "about it") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\ntype: user\n---\n\n{body}\n".encode()


@dataclass(frozen=True)
class Tidied:
    after: dict[str, bytes]
    reasons: dict[str, str]


def tidied(files: dict[str, bytes]) -> TidyResult:
    directory = directory_from_contents("/memory", files, mtime_ns=int(WRITTEN.timestamp() * 1e9))
    return tidy(directory, Surroundings(now=NOW))


def settled(files: dict[str, bytes]) -> Tidied:
    """Tidied, and a second time nothing comes of it."""
    result = tidied(files)
    assert result.changes.keys() == result.reasons.keys()
    after = {name: data for name, data in {**files, **result.changes}.items() if data is not None}
    second = tidied(after)
    assert (second.changes, second.reasons) == ({}, {})
    return Tidied(after, result.reasons)


def index(result: Tidied) -> list[str]:
    return result.after["MEMORY.md"].decode().splitlines()


def test_what_is_in_order_stays_byte_for_byte() -> None:
    files = {
        "MEMORY.md": b"# Memory\r\n\r\n- [Tides](tides.md) \xe2\x80\x94 when\r\n",
        "tides.md": topic("tides", "High."),
    }
    assert settled(files) == Tidied(files, {})


def test_pointers_to_nowhere_and_second_pointers_go_and_orphans_come() -> None:
    files = {
        "MEMORY.md": b"- [Tides](tides.md)\n- [Gone](gone.md)\n- [Fog](Fog_.md)\n- [Again](tides.md): at noon sharp\n",
        "fog.md": topic("fog", "Fog comes at dawn."),
        "tides.md": topic("tides", "High water."),
        "wind.md": topic("wind", "West wind brings rain.", "where it blows"),
    }
    result = settled(files)
    assert index(result)[:3] == ["- [Tides](tides.md)", "- [Fog](fog.md)", "- [wind](wind.md) — where it blows"]
    assert index(result)[3:] == [format_pointer(parse_file(RECOVERED, result.after[RECOVERED]))]
    assert result.after[RECOVERED].endswith(b"\n- [Gone](gone.md)\n")
    assert result.after["tides.md"].endswith(b"High water.\n\nAgain: at noon sharp\n")
    reason = result.reasons["MEMORY.md"]
    assert "gone.md" in reason
    assert "wind.md" in reason


def test_the_words_of_pointers_to_nowhere_are_kept_unless_they_stand_elsewhere() -> None:
    """A real directory had 177 of these, 176 of them with words of their own: "kept 207, lost 0", and all were gone."""
    hooks = [f"the gate {index} of lock {index * 7} is painted in colour {index * 13}" for index in range(176)]
    lines = [f"- [Gate {index}](gate-{index}.md) — {hook}" for index, hook in enumerate(hooks)]
    lines += ["- [Tides](tide-times.md) — when they come"]
    topics = {
        f"boat-{index}.md": topic(f"boat-{index}", f"Boat {index} has {index + 2} masts.", f"boat {index}")
        for index in range(10)
    }
    topics["tides.md"] = topic("tides", "High water.", "Tides: when they come")
    pointers = [f"- [{name.removesuffix('.md')}]({name})" for name in topics]
    files = {**topics, "MEMORY.md": "".join(f"{line}\n" for line in ["# Memory", *lines, *pointers]).encode()}
    result = settled(files)
    text = b"\n".join(result.after.values()).decode()
    assert [hook for hook in hooks if hook not in text] == []
    counted = compare_facts(files, result.after)
    assert counted.lost == ()
    assert counted.kept + counted.merged + len(counted.reworded) == len(list(facts_of(files)))
    assert "(gate-" not in result.after["MEMORY.md"].decode()
    assert not [
        item
        for item in lint(directory_from_contents("/memory", result.after), Surroundings(now=NOW))
        if "dangling" in item.rule
    ]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Always squash commits before a merge into the trunk", "Never squash commits before a merge into the trunk"),
        ("Releases are cut on Fridays by the harbour master", "Releases are cut on Mondays by the harbour master"),
    ],
)
def test_topics_that_contradict_each_other_are_not_merged(ours: str, theirs: str) -> None:
    more = "The harbour master wants every boat to be registered before the first of May, with its colour and mast."
    files = {
        "MEMORY.md": b"- [A](a.md)\n- [B](b.md)\n",
        "a.md": topic("a", f"{ours}.\n\n{more}"),
        "b.md": topic("b", f"{theirs}.\n\n{more}"),
    }
    result = tidied(files)
    assert result.changes == {}
    (sentence,) = result.kept_apart
    assert ours.lower() in sentence
    assert theirs.lower() in sentence


def test_topics_that_say_the_same_become_one() -> None:
    text = "The harbour master wants every boat to be registered before the first of May, with its colour."
    files = {
        "MEMORY.md": b"- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n",
        "a.md": topic("a", text),
        "b.md": topic("b", text),
        "c.md": topic("c", f"{text}\n\nLanterns are needed at night."),
    }
    result = settled(files)
    (left,) = result.after.keys() - {"MEMORY.md"}
    assert index(result) == [f"- [A]({left})"]
    assert b"Lanterns are needed at night." in result.after[left]
    assert result.after[left].count(b"harbour master") == 1
    assert all("stays in the history" in result.reasons[name] for name in {"a.md", "b.md", "c.md"} - {left})


def test_dates_count_from_the_day_of_the_file() -> None:
    body = "Since yesterday the ferry is late, and it will be until tomorrow.\nWe met last week."
    result = settled({"MEMORY.md": b"- [Ferry](ferry.md)\n", "ferry.md": topic("ferry", body)})
    text = result.after["ferry.md"].decode()
    assert "Since 2026-03-03 the ferry is late, and it will be until 2026-03-05." in text
    assert "last week" not in text
    assert result.reasons["ferry.md"].count("2026-03-04") == 1


def test_a_long_line_is_shortened_and_what_it_said_goes_into_the_topic() -> None:
    hook = "the tide turns at six, " * 12 + "and then the boats come home"
    files = {"MEMORY.md": f"- [Tides](tides.md) — {hook}\n".encode(), "tides.md": topic("tides", "High water.")}
    result = settled(files)
    (line,) = index(result)
    assert len(line) <= 150
    assert result.after["tides.md"].decode().endswith(f"\n\n{hook}\n")


def test_the_date_in_the_title_of_a_shortened_line_goes_with_what_it_said() -> None:
    hook = (
        "the header was not enough, so the structure was read; five sessions came back and four rows were added, " * 2
    )
    files = {
        "MEMORY.md": f"- [Rescue of 2026-04-30](rescue.md) — {hook}\n".encode(),
        "rescue.md": topic("rescue", "What was done."),
    }
    after = settled(files).after
    assert compare_facts(files, after).lost == ()
    assert b"Rescue of 2026-04-30: the header was not enough" in after["rescue.md"]


@pytest.mark.parametrize(("count", "words"), [(260, ""), (190, "x" * 140)])
def test_an_index_beyond_the_limits_fits_afterwards_and_nothing_is_lost(count: int, words: str) -> None:
    names = [f"topic-{index:03}" for index in range(count)]
    files = {f"{name}.md": topic(name, f"Number {name} alone.", words) for name in names}
    lines = [f"- [{name}]({name}.md)" + (f" — {words}" if words else "") for name in names]
    files["MEMORY.md"] = "".join(f"{line}\n" for line in lines).encode()
    result = settled(files)
    after = directory_from_contents("/memory", result.after)
    assert not after.index.loaded.warning
    assert len(after.index.lines) <= MOST_LINES
    assert len(result.after["MEMORY.md"]) <= MOST_BYTES
    message = result.after["MEMORY.md"] + result.after.get(OVERFLOW, b"")
    assert all(f"({name}.md)".encode() in message for name in names)
    if OVERFLOW in result.after:
        assert f"({OVERFLOW})".encode() in result.after["MEMORY.md"]


def test_memory_without_an_index_gets_one() -> None:
    result = settled({"tides.md": topic("tides", "High water.", "when they come")})
    assert index(result) == ["# Memory", "", "- [tides](tides.md) — when they come"]


def test_an_empty_directory_stays_empty() -> None:
    assert settled({}) == Tidied({}, {})


def test_what_is_no_text_and_what_was_not_read_stays() -> None:
    odd = parse_file("odd.md", b"\xff\xfe\x00broken \xff")
    cut = parse_file("huge.md", b"the beginning", size=10**9)
    result = tidy(MemoryDirectory("/memory", (odd, cut)), Surroundings(now=NOW))
    assert result.changes.keys() == {"MEMORY.md"}


vocabulary = "harbour tide fog boat yesterday next week lantern ferry noon rope"
words = st.lists(st.sampled_from(vocabulary.split(" ")), max_size=12)
bodies = st.lists(words.map(lambda some: " ".join(["rope", "tide", *some])), max_size=4).map("\n\n".join)
names = st.sampled_from(["a.md", "b.md", "B_.md", "deep/c.md", "d.md"])
hooks = st.lists(st.sampled_from(["harbour", "tide", "fog", "boat", "lantern", "ferry", "noon", "rope"]), max_size=12)
"""Without dates: one that goes into its topic gets its day, and of “yesterday” alone no word is left then."""
lines = st.tuples(names, hooks).map(lambda pair: f"- [It]({pair[0]}) — {' '.join(pair[1])}") | hooks.map(" ".join)


@given(topics=st.dictionaries(names, bodies, max_size=5), index=st.lists(lines, max_size=12), crlf=st.booleans())
@example(
    topics={"a.md": ""},
    index=["- [It](a.md) — ", "- [It](a.md) — harbour harbour tide", "harbour harbour tide"],
    crlf=False,
)
@example(
    topics={"a.md": "rope tide harbour yesterday"},
    index=["- [It](b.md) — harbour fog tide", "- [It](a.md) — harbour harbour fog tide"],
    crlf=False,
)
def test_whatever_lies_there_is_in_order_afterwards_and_no_fact_is_lost(
    topics: dict[str, str], index: list[str], crlf: bool
) -> None:
    files = {name: topic(name, body) for name, body in topics.items()}
    files["MEMORY.md"] = "".join(f"{line}\n" for line in index).encode()
    if crlf:
        files = {name: data.replace(b"\n", b"\r\n") for name, data in files.items()}
    result = settled(files)
    rules = {finding.rule for finding in lint(directory_from_contents("/memory", result.after), Surroundings(now=NOW))}
    assert not rules & {"orphan-topic", "dangling-pointer", "duplicate-topic", "index-too-long", "index-too-large"}
    assert not compare_facts(files, result.after).lost
