"""The index kept in step, and topics put together: what is not meant keeps its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.engine.reading import directory_from_contents, parse_file
from memory.files.engine.reading.pointers import find_pointer, replace_links, with_pointer, without_pointers
from memory.files.engine.reading.topic_text import compose_new_topic, compose_topic, merge_topics, split_topic

INDEX = b"# Memory\r\n- [Tides](tides.md) -- high\r\n- [A](a.md), [B](b.md)\r\n\xff\r\n"


def test_a_pointer_is_rewritten_in_its_line_or_added_at_the_end() -> None:
    file = parse_file("MEMORY.md", INDEX)
    changed = with_pointer(file, "tides.md", "Tides", "low [x]")
    assert changed == INDEX.replace(b"- [Tides](tides.md) -- high", "- [Tides](tides.md) — low [x]".encode())
    assert with_pointer(file, "tides.md", "Tides", "high") is None
    assert with_pointer(file, "a.md", "Other", "words") is None
    assert with_pointer(file, "new one.md", "New [1]", "") == INDEX + b"- [New (1)](new%20one.md)\r\n"


def test_pointers_go_with_their_line_unless_others_share_it() -> None:
    file = parse_file("MEMORY.md", INDEX)
    assert without_pointers(file, {"tides.md"}) == INDEX.replace(b"- [Tides](tides.md) -- high\r\n", b"")
    assert without_pointers(file, {"a.md"}) == INDEX.replace(b"[A](a.md)", b"A")
    assert without_pointers(file, {"a.md", "b.md"}) == INDEX.replace(b"- [A](a.md), [B](b.md)\r\n", b"")
    assert without_pointers(file, {"none.md"}) is None


def test_links_of_both_kinds_follow_a_rename() -> None:
    topic = parse_file("x.md", b"[[fog]] [[fog.md|mist]] [[foggy]] [see](fog.md) [out](http://fog.md)\n\xff")
    assert replace_links(topic, "fog.md", "mist.md") == (
        b"[[mist]] [[mist.md|mist]] [[foggy]] [see](mist.md) [out](http://fog.md)\n\xff"
    )
    assert replace_links(topic, "tides.md", "x.md") is None


@given(st.text("ab \n[]()#.-", max_size=60), st.text("ab[]() —:", max_size=20), st.text("ab[]()—: ", max_size=20))
def test_a_pointer_that_was_written_is_found_again(text: str, title: str, hook: str) -> None:
    file = parse_file("MEMORY.md", text.encode())
    after = with_pointer(file, "topic.md", title or "x", hook)
    assert after is not None
    pointer = find_pointer(parse_file("MEMORY.md", after), "topic.md")
    assert pointer is not None
    second = without_pointers(parse_file("MEMORY.md", after), {"topic.md"})
    assert second is not None
    assert "topic.md" not in {
        entry.target for entry in directory_from_contents("/m", {"MEMORY.md": second}).index.entries
    }


def test_a_form_changes_what_it_says_and_nothing_else() -> None:
    file = parse_file("x.md", b"---\nname: 'x'\nother: [a, b]\n---\n\n\nBody.\n")
    assert compose_topic(file, {"name": "x"}, "Body.\n") == file.text
    assert compose_topic(file, {"description": "It: is"}) == file.text.replace(
        "name: 'x'\n", "name: 'x'\ndescription: \"It: is\"\n"
    )
    assert compose_topic(file, {}, "New.\n") == file.text.replace("Body.", "New.")


def test_two_topics_become_one_with_each_paragraph_once() -> None:
    first = parse_file("a.md", compose_new_topic("a.md", {"name": "a", "type": "user"}, "One.\n\nTwo.").encode())
    second = parse_file("b.md", b"Two.\n\nThree.\n")
    assert merge_topics(first, second) == first.text.replace("Two.\n", "Two.\n\nThree.\n")


def test_a_topic_is_split_only_where_something_stays() -> None:
    file = parse_file("a.md", b"---\nname: a\n---\n\nOne.\n\nTwo.\nThree.\n")
    assert split_topic(file, 7) == ("---\nname: a\n---\n\nOne.\n", "Two.\nThree.\n")
    for line in (0, 1, 4, 5, 9, 100):
        with pytest.raises(ValueError, match="cannot be split"):
            split_topic(file, line)
