"""Headers in all forms that agents have written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.engine.reading import MemoryType, parse_file
from memory.files.engine.reading.edits import with_field, with_header
from memory.files.engine.reading.scalar import parse_scalar, quote_scalar

FULL = "name: a\ndescription: What it is\nmetadata: \n  node_type: memory\n  type: user\n  originSessionId: s-1\n"
SEVEN = {
    "full": FULL,
    "modified": f"{FULL}  modified: 2026-11-03T13:39:02.541Z\n",
    "flat": "name: a\ndescription: What it is\ntype: user\n",
    "nested": "name: a\ndescription: What it is\nmetadata:\n  type: user\n",
    "flat with origin": "name: a\ndescription: What it is\ntype: user\noriginSessionId: s-1\n",
    "no type": "name: a\ndescription: What it is\n",
}


def topic(header: str, body: str = "\nThe body.\n", end: str = "\n") -> bytes:
    return f"---\n{header}---\n{body}".replace("\n", end).encode()


@pytest.mark.parametrize("form", SEVEN)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_form_is_read(form: str, end: str) -> None:
    file = parse_file("a.md", topic(SEVEN[form], end=end))
    assert (file.title, file.description, file.problems) == ("a", "What it is", ())
    assert file.type is (None if form == "no type" else MemoryType.USER)
    assert file.origin_session == ("s-1" if "s-1" in SEVEN[form] else "")
    assert file.body.strip() == "The body."


def test_the_seventh_form_is_none() -> None:
    file = parse_file("a.md", b"Only a body.\n")
    assert not file.header
    assert (file.title, file.type, file.body) == ("a", None, "Only a body.\n")


@pytest.mark.parametrize(
    ("line", "value", "why"),
    [
        ("description: Note: a colon", "Note: a colon", "colon"),
        ("description: 'open", "open", "never closed"),
        ('description: "a" b', '"a" b', "behind the closing quote"),
        ("description: [a, b", "[a, b", "never closed"),
        ("description: @later", "@later", "begins with @"),
        ("description: a\ndescription: b", "a", "stands twice"),
        ("description: a\nno pair", "a", "no `key: value`"),
    ],
)
def test_what_yaml_refuses_is_read_as_meant_and_told(line: str, value: str, why: str) -> None:
    file = parse_file("a.md", topic(f"name: a\n{line}\n"))
    assert file.description == value
    (problem,) = file.problems
    assert (problem.rule, problem.line) == ("invalid-yaml", 3 + line.count("\n"))
    assert why in problem.message


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('description: "a: b \\"c\\""', 'a: b "c"'),
        ("description: 'it''s'", "it's"),
        ("description: >-\n  one\n  two", "one\ntwo"),
        ("description: one\n  two", "one two"),
        ("description:   spaced  ", "spaced"),
        ("# a comment\ndescription: a", "a"),
        ("description: https://x.y/z", "https://x.y/z"),
    ],
)
def test_what_yaml_takes_is_no_problem(line: str, value: str) -> None:
    file = parse_file("a.md", topic(f"name: a\n{line}\n"))
    assert (file.description, file.problems) == (value, ())


def test_mappings_in_braces_and_lists_are_read() -> None:
    file = parse_file(
        "a.md", topic("metadata: {type: feedback, node_type: memory}\ntags: [a, b]\npaths:\n  - x\n  - y\n")
    )
    assert file.type is MemoryType.FEEDBACK
    assert [field.items for field in file.header.fields if field.items] == [("a", "b"), ("x", "y")]
    assert file.problems == ()


def test_a_header_that_never_ends_is_part_of_the_body() -> None:
    file = parse_file("a.md", b"---\nname: a\n\ntext\n")
    assert not file.header
    assert [problem.rule for problem in file.problems] == ["invalid-yaml"]
    assert "text" in file.body


@pytest.mark.parametrize("form", SEVEN)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_field_can_be_set_and_everything_else_keeps_its_bytes(form: str, end: str) -> None:
    data = topic(SEVEN[form], end=end)
    for key, value in (("description", "New: one"), ("type", "feedback")):
        changed = with_field(parse_file("a.md", data), key, value)
        file = parse_file("a.md", changed)
        assert (file.header.get(key), file.problems) == (value, ())
        old, new = data.splitlines(keepends=True), changed.splitlines(keepends=True)
        assert len([line for line in old if line not in new]) <= 1
        assert len([line for line in new if line not in old]) == 1
        assert file.source.newline == end


def test_a_field_gets_a_header_where_there_was_none() -> None:
    changed = with_field(parse_file("a.md", b"body\n"), "type", "user")
    assert changed == b"---\ntype: user\n---\n\nbody\n"


def test_a_broken_header_can_be_written_anew_from_what_was_understood() -> None:
    file = parse_file("a.md", topic("name: a\ndescription: Note: x [y\nmetadata: {type: project\n"))
    second = parse_file("a.md", with_header(file, file.header.fields))
    assert second.problems == ()
    assert (second.title, second.description, second.type) == ("a", "Note: x [y", MemoryType.PROJECT)
    assert second.body == file.body


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60))
def test_any_value_comes_back_as_it_was_written(value: str) -> None:
    read = parse_scalar(quote_scalar(value))
    assert (read.value, read.refused, read.dropped) == (value, "", "")


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read_and_written_back(data: bytes) -> None:
    for name in ("a.md", "MEMORY.md"):
        file = parse_file(name, data)
        assert file.source.encode(file.source.text) == data
        file.text.encode()
        assert len(file.text) == len(file.source.text)


@given(st.text(alphabet="-a:{}[]\"'#| >\n\t&*", max_size=120))
def test_any_header_can_be_read(text: str) -> None:
    file = parse_file("a.md", f"---\n{text}\n---\nbody\n".encode())
    second = parse_file("a.md", with_field(file, "type", "user"))
    assert "body" in second.body
