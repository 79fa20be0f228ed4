from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.engine import RANKER, Document, Ranker, read_answer

NAMES = ("a.md", "b.md", "c.md", "d.md", "e.md", "f.md")


@pytest.mark.parametrize(
    "answer",
    [
        '["b.md", "a.md"]',
        '```json\n["b.md", "a.md"]\n```',
        '{"files": ["b.md", "a.md"]}',
        'These two [of six] help: ["b.md", "a.md", "b.md"]. Good luck!',
    ],
)
def test_the_list_of_an_answer_is_found_in_whatever_stands_around_it(answer: str) -> None:
    choice = read_answer(answer, NAMES, "small")

    assert [memory.name for memory in choice.chosen] == ["b.md", "a.md"]
    assert (choice.by, choice.refused, choice.problem) == ("small", (), "")


def test_only_five_names_of_the_list_count() -> None:
    choice = read_answer('["f.md","e.md","../x","d.md","c.md","b.md","a.md"]', NAMES, "small")

    assert [memory.name for memory in choice.chosen] == ["f.md", "e.md", "d.md", "c.md", "b.md"]
    assert choice.refused == ("../x: the list has no such file", "a.md: more than 5 were named")


def test_an_empty_list_is_an_answer_and_words_are_none() -> None:
    assert read_answer("[]", NAMES, "small").problem == ""
    assert "no JSON list" in read_answer("I would take a.md", NAMES, "small").problem


@given(st.text())
def test_no_answer_breaks_it(answer: str) -> None:
    choice = read_answer(answer + "[" * 50, NAMES, "small")
    assert {memory.name for memory in choice.chosen} <= set(NAMES)


def ranker(**bodies: str) -> Ranker:
    return Ranker(Document(f"{name}.md", name, "", body) for name, body in bodies.items())


def chosen(of: Ranker, message: str, *among: str) -> list[str]:
    return [memory.name for memory in of.choose(message, among).chosen]


def test_a_word_of_the_name_counts_more_than_one_of_the_body_and_says_why() -> None:
    ranker = Ranker(
        [
            Document("tides.md", "tides", "When they come", "Noon. " * 2_000),
            Document("boats.md", "boats", "Which sail", "They wait for the tide at Port Hallow."),
            Document("fog.md", "fog", "Never", "Nothing."),
        ]
    )

    choice = ranker.choose("Which tides does Hallow have?", {"tides.md", "boats.md", "fog.md"})

    assert choice.by == RANKER
    assert [memory.name for memory in choice.chosen] == ["boats.md", "tides.md"]
    assert choice.chosen[1].why == "shares “tides” (name)"
    assert choice.chosen[0].score > choice.chosen[1].score > 0  # type: ignore[operator]


def test_one_common_word_of_a_body_is_chance_and_two_are_not() -> None:
    of = ranker(one="The harbour office opens late", two="Nothing")

    assert chosen(of, "is the harbour deep", "one.md", "two.md") == []
    assert chosen(of, "is the harbour office open", "one.md", "two.md") == ["one.md"]


def test_words_without_meaning_bring_nothing() -> None:
    of = ranker(**{"please-make-it-so": "you would like to see what it does", "b": ""})

    assert chosen(of, "please make it so that I see what it does", "please-make-it-so.md", "b.md") == []


def test_text_without_spaces_is_compared_by_pairs_of_characters() -> None:
    of = ranker(潮汐表="満潮は正午", boats="Nothing")

    assert chosen(of, "今日の潮汐表を 印刷", "潮汐表.md", "boats.md") == ["潮汐表.md"]


def test_at_most_five_are_chosen_and_only_among_those_offered() -> None:
    of = ranker(**{f"tide-{number}": "tide table" for number in range(9)})

    assert len(chosen(of, "the tide table", *(f"tide-{number}.md" for number in range(1, 9)))) == 5
    assert chosen(of, "the tide table", "tide-3.md") == ["tide-3.md"]


@given(st.text(), st.text(), st.text())
def test_no_text_breaks_the_ranker(name: str, body: str, message: str) -> None:
    Ranker([Document(f"{name}.md", name, body, body)]).choose(message, {f"{name}.md"})
