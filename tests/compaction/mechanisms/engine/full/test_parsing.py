from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.mechanisms.engine.full.parsing import ParsedSummary, parse_summary


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        ("<analysis>draft</analysis>\n<summary>\n1. All\n</summary>", "1. All"),
        ("<ANALYSIS>draft</Analysis><Summary>1. All</SUMMARY>", "1. All"),
        ("< analysis >draft</ analysis ><summary lang='en'>1. All</summary >", "1. All"),
        ("Here it is:\n<analysis>a</analysis>and<summary>1. All</summary>bye", "1. All"),
        ("<summary>1. All</summary>", "1. All"),
        ("just words", "just words"),
        ("<analysis>a</analysis>\njust words", "just words"),
        ("draft without an opening</analysis><summary>1. All</summary>", "1. All"),
        ("1. All</summary>", "1. All"),
        ("<analysis>never closed <summary>1. All</summary>", "1. All"),
        ("<analysis>a <analysis>b</analysis> c</analysis><summary>1. All</summary>", "1. All"),
        ("<analysis>I will write a <summary> block</analysis><summary>1. All</summary>", "1. All"),
        (
            "<summary>1. It prints <summary>x</summary> tags\n2. End</summary>",
            "1. It prints <summary>x</summary> tags\n2. End",
        ),
        ("<summary><analysis>draft</analysis>1. All</summary>", "1. All"),
        ("<summary>1. The code strips <analysis>x</analysis></summary>", "1. The code strips <analysis>x</analysis>"),
        ("<analysis>only a draft, cut off", ""),
        ("<analysis>only a draft</analysis>", ""),
        ("<analysis>a</analysis><summary>  </summary>", ""),
        ("", ""),
    ],
)
def test_it_finds_the_summary(reply: str, summary: str) -> None:
    assert parse_summary(reply).summary == summary


def test_a_summary_that_breaks_off_is_taken_and_called_incomplete() -> None:
    assert parse_summary("<analysis>a</analysis><summary>1. All\n2. Ha") == ParsedSummary("1. All\n2. Ha", True, False)


def test_a_reply_without_tags_is_said_to_have_none() -> None:
    assert parse_summary("words") == ParsedSummary("words", False, True)


pieces = st.sampled_from(["<analysis>", "</analysis>", "<summary>", "</summary>", "words ", "<", ">", "\n"])


@given(st.lists(pieces, max_size=12).map("".join))
def test_whatever_the_tags_nothing_is_added_to_the_reply(reply: str) -> None:
    rest = iter(reply)
    assert all(character in rest for character in parse_summary(reply).summary)


@given(st.text("abc <>/\n"), st.text("abc \n", min_size=1))
def test_a_well_formed_reply_gives_its_summary(draft: str, summary: str) -> None:
    if "<" in draft or not summary.strip():
        return
    reply = f"<analysis>{draft}</analysis><summary>{summary}</summary>"
    assert parse_summary(reply) == ParsedSummary(summary.strip(), True, True)
