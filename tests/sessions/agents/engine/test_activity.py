from __future__ import annotations

import pytest

from sessions.agents.engine.activity import ANSWER_TOKENS, MAX_WORDS, clean_answer, describe_last_call, make_question
from tests.sessions.agents.engine.records import calls, gets, hears, says


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("Read", {"file_path": "/home/dev/src/heights.py"}, "Reading heights.py"),
        ("Edit", {"file_path": "C:\\dev\\heights.py"}, "Editing heights.py"),
        ("Grep", {"pattern": "def tide"}, "Searching for def tide"),
        ("Bash", {"command": "TZ=UTC /usr/bin/pytest -q tests"}, "Running pytest"),
        ("Bash", {}, "Running a command"),
        ("WebFetch", {"url": "https://example.org/a/b"}, "Fetching https://example.org/a/b"),
        ("Agent", {"description": "Type out table 4"}, "Starting Type out table 4"),
        ("mcp__chart__draw", {"path": "x"}, "Calling mcp__chart__draw"),
        ("", {}, "Calling a tool"),
        ("Read", {"file_path": 7}, "Reading"),
    ],
)
def test_the_last_call_is_told_in_words(name: str, given: dict[str, object], words: str) -> None:
    records = [calls("Write", "t1", file_path="old.py"), hears("Go on"), calls(name, "t2", **given), says("I look.")]

    assert describe_last_call(records) == words


def test_an_agent_that_calls_nothing_answers_or_has_said_nothing() -> None:
    assert describe_last_call([hears("Count"), says("Four.")]) == "Answering"
    assert describe_last_call([hears("Count")]) == ""


def test_a_question_has_the_task_the_last_records_and_what_was_said_before() -> None:
    records = [
        *(says(f"word {number}") for number in range(40)),
        calls("Read", "t1", file_path="heights.py"),
        gets("t1", "line\n" * 9_000),
    ]

    question = make_question(records, "Find printed heights", previous="Reading cli.py")

    assert "Task: Find printed heights" in question.prompt
    assert "Agent calls Read(file_path=heights.py)" in question.prompt
    assert "Tool result: line line" in question.prompt
    assert "word 39" in question.prompt
    assert "word 3\n" not in question.prompt
    assert "“Reading cli.py”" in question.prompt
    assert question.tokens < 2_000 > ANSWER_TOKENS


def test_a_question_about_nothing_can_be_asked() -> None:
    assert "(nothing was recorded yet)" in make_question([{"type": "system"}]).prompt


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Reading the tide table parser", "Reading the tide table parser"),
        ('"Reading heights.py."\n\nIt is reading.', "Reading heights.py"),
        ("\n\n**Fixing the clock hole**", "Fixing the clock hole"),
        ("Reading one two three four five six seven eight nine", "Reading one two three four five six seven"),
        ("  \n", ""),
    ],
)
def test_an_answer_becomes_a_few_words_on_one_line(answer: str, words: str) -> None:
    assert clean_answer(answer) == words
    assert len(clean_answer(answer).split()) <= MAX_WORDS
