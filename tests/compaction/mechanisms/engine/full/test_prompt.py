from __future__ import annotations

import re

import pytest

from compaction.mechanisms.engine.full.prompt import PREAMBLE, REMINDER, SECTIONS, Variant, compaction_prompt

NINE = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and Fixes",
    "Problem Solving",
    "All User Messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
)


def numbered(text: str) -> list[str]:
    listed = text.partition("The summary has these sections")[2]
    return [title for _, title in re.findall(r"^(\d)\. ([A-Z][\w ]+):", listed, re.MULTILINE)]


@pytest.mark.parametrize("variant", list(Variant))
def test_tools_are_forbidden_at_both_ends(variant: Variant) -> None:
    prompt = compaction_prompt(variant)
    assert prompt.startswith(PREAMBLE)
    assert prompt.endswith(REMINDER)


@pytest.mark.parametrize("variant", [Variant.FULL, Variant.FROM])
def test_it_asks_for_nine_sections_and_shows_them_in_the_example(variant: Variant) -> None:
    assert numbered(compaction_prompt(variant)) == [*NINE, *NINE]


def test_up_to_a_pivot_the_last_two_prepare_for_what_follows() -> None:
    titles = tuple(section.title for section in SECTIONS[Variant.UP_TO])
    assert titles == (*NINE[:7], "Work Completed", "Context for Continuing Work")


def test_from_a_pivot_it_says_where_the_part_begins_and_that_the_rest_stays() -> None:
    prompt = compaction_prompt(Variant.FROM, begins="Now the\n  tests")
    assert '"Now the tests"' in prompt
    assert "do not summarise it again" in prompt


def test_instructions_of_hooks_come_after_those_of_the_user_and_before_the_reminder() -> None:
    prompt = compaction_prompt(instructions="keep the test output", hook_instructions="mention the ticket")
    places = [prompt.index(text) for text in ("</example>", "keep the test output", "mention the ticket", REMINDER)]
    assert places == sorted(places)


def test_without_instructions_there_is_no_place_for_them() -> None:
    assert "also asked" not in compaction_prompt(instructions=" ", hook_instructions="\n")
