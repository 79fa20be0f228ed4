from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element, Piece
from sessions.requests.engine import Anatomy, CacheFate, Fold, RequestPart, anatomy_of, fold_parts
from sessions.requests.engine.sentence import cache_sentence
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.usage import Usage

TOOLS = ({"name": "Bash", "description": "Runs a command. " * 20}, {"name": "Read", "description": "Reads. " * 20})
SYSTEM = (text_block("x-anthropic-billing-header: cc_version=1"), text_block("You watch tides. " * 40))
MARK = {"type": "ephemeral", "ttl": "1h", "scope": "global"}


def element(words: str, role: Any = "user") -> Element:
    block = text_block(words)
    return Element(role, (Piece(block, Message(role, (block,), MessageKind.PROMPT)),))


def conversation(count: int) -> list[Element]:
    return [element(f"tide {number} " * 50, "assistant" if number % 2 else "user") for number in range(count)]


def setup_with_marks(*paths: list[Any]) -> RequestSetup:
    return RequestSetup(SYSTEM, TOOLS, marks=tuple({"path": path, "value": MARK} for path in paths))


def fates(anatomy: Anatomy, name: str) -> list[CacheFate | None]:
    return [part.fate for section in anatomy.sections if section.name == name for part in section.parts]


def test_the_order_is_that_of_the_cache() -> None:
    anatomy = anatomy_of(setup_with_marks(), conversation(3), None)
    assert [section.name for section in anatomy.sections] == ["tools", "system", "messages"]
    assert [part.label for part in anatomy.sections[0].parts] == ["Bash", "Read"]
    assert [part.place for part in anatomy.sections[2].parts] == ["0", "1", "2"]


def test_what_follows_the_last_mark_is_fresh_and_nothing_before_it() -> None:
    given = setup_with_marks(["system", 1], ["messages", 2, "content", 0])
    anatomy = anatomy_of(given, conversation(4), Usage(40, 600, 400, 0, 9))
    assert fates(anatomy, "messages")[3] is CacheFate.FRESH
    assert CacheFate.FRESH not in (*fates(anatomy, "tools"), *fates(anatomy, "system"), *fates(anatomy, "messages")[:3])
    assert anatomy.total == 1040


def test_what_was_read_comes_first_and_what_was_written_after_it() -> None:
    given = setup_with_marks(["messages", 3, "content", 0])
    anatomy = anatomy_of(given, conversation(4), Usage(0, 800, 200, 0, 9))
    order = [*fates(anatomy, "tools"), *fates(anatomy, "system"), *fates(anatomy, "messages")]
    assert order[0] is CacheFate.READ
    assert order[-1] is CacheFate.WRITTEN
    assert [item for item in CacheFate if item in order] == list(dict.fromkeys(order))


def test_without_a_count_no_fate_is_claimed() -> None:
    anatomy = anatomy_of(setup_with_marks(), conversation(2), None)
    assert {*fates(anatomy, "tools"), *fates(anatomy, "messages")} == {None}
    assert "cannot be told" in cache_sentence(None)


def test_what_no_record_holds_stands_in_front() -> None:
    anatomy = anatomy_of(RequestSetup(), conversation(2), Usage(10, 50_000, 0, 0, 9))
    tools, system, messages = anatomy.sections
    assert tools.unknown
    assert system.unknown
    assert messages.begin == anatomy.unrecorded > 49_000
    assert anatomy.marks_are_known is False


def test_marks_are_found_by_their_paths_and_say_how_long_they_hold() -> None:
    anatomy = anatomy_of(setup_with_marks(["tools", 1], ["system", 1], ["messages", 0]), conversation(1), None)
    result = [
        (mark.path, mark.ttl, mark.scope)
        for section in anatomy.sections
        for part in section.parts
        for mark in part.marks
    ]
    assert result == [
        ("tools[1]", "1h", "global"),
        ("system[1]", "1h", "global"),
        ("messages[0].content[0]", "1h", "global"),
    ]


def test_marks_that_the_blocks_carry_themselves_count_too() -> None:
    given = RequestSetup(({**text_block("You watch tides."), "cache_control": {"type": "ephemeral"}},), ())
    (mark,) = anatomy_of(given, conversation(1), None).sections[1].parts[0].marks
    assert (mark.path, mark.ttl) == ("system[0]", "5m")


def test_marks_that_lead_nowhere_are_left_alone() -> None:
    hostile: list[Any] = [["messages", 99], ["messages", -1], ["system", "x"], "system", None, {}, ["messages"]]
    given = RequestSetup(SYSTEM, TOOLS, marks=tuple({"path": path, "value": "x"} for path in hostile))
    assert anatomy_of(given, conversation(1), None).marks == 0


def test_the_billing_header_is_named() -> None:
    header, prompt = anatomy_of(setup_with_marks(), [], None).sections[1].parts
    assert header.label == "billing header"
    assert header.note
    assert prompt.note == ""


def test_the_sentence_says_what_was_read_written_and_fresh() -> None:
    assert cache_sentence(Usage(3, 8_000, 1_997, 0, 9)) == (
        "The cache had 8.0k of its 10.0k tokens (80%); 2.0k were written to it, for five minutes, and 3 were fresh."
    )
    assert cache_sentence(Usage(3, 0, 0, 900, 9)).startswith("Nothing of its 903 tokens came from the cache; 900 were")
    assert "for an hour" in cache_sentence(Usage(3, 0, 0, 900, 9))
    assert (
        cache_sentence(Usage(12, 0, 0, 0, 9)) == "The cache had no part in it: all 12 tokens of the prompt were fresh."
    )


@given(
    st.integers(0, 40),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.booleans(),
    st.lists(st.integers(-2, 45), max_size=4),
)
def test_the_parts_lie_end_to_end_and_their_fates_in_order(
    count: int, read: int, written: int, fresh: int, known: bool, paths: list[int]
) -> None:
    marks = tuple({"path": ["messages", path], "value": MARK} for path in paths)
    given = RequestSetup(SYSTEM, TOOLS, marks=marks) if known else RequestSetup(marks=marks)
    anatomy = anatomy_of(given, conversation(count), Usage(fresh, read, written, 0, 1))
    parts = [part for section in anatomy.sections for part in section.parts]
    for earlier, other in pairwise(parts):
        assert abs(earlier.end - other.begin) < 1e-3
    total = read + written + fresh
    if parts and total:
        assert abs(anatomy.total - total) <= 1e-6 * total + 1e-3
        order = [list(CacheFate).index(part.fate) for part in parts if part.fate]
        assert order == sorted(order)


def test_of_a_long_stretch_the_ends_are_shown_and_the_rest_can_be_asked_for() -> None:
    anatomy = anatomy_of(RequestSetup(SYSTEM, TOOLS), conversation(400), Usage(3, 10_000, 100, 0, 1))
    parts = anatomy.sections[2].parts
    rows = fold_parts(parts)
    assert len(rows) < 20
    (fold, *_) = [row for row in rows if isinstance(row, Fold)]
    assert sum(row.count if isinstance(row, Fold) else 1 for row in rows) == 400
    opened = fold_parts(parts, fold.first, fold.end)
    assert isinstance(opened[0], RequestPart)
    assert opened[0].number == fold.first + 1
    assert sum(row.count if isinstance(row, Fold) else 1 for row in opened) == fold.count
    assert fold_parts(parts, 10**9) == []
