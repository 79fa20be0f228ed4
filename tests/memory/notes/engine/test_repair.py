from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.notes.engine import (
    TEMPLATE,
    TITLES,
    NotesBrokenError,
    fill_notes,
    find_overruns,
    is_empty,
    repair_notes,
    sections_of,
    substitute,
    update_prompt,
)

NOTES = "# Tides\n_When_\n\nAt noon.\n\n# Boats\n_Which_\n"
LINES = st.lists(st.sampled_from(["# Tides", "# Boats", "# Fog", "_When_", "_Other_", "```", "# x", "text", ""]))


def test_the_template_has_ten_sections_and_is_empty() -> None:
    assert len(TITLES) == 10
    assert all(section.guidance for section in sections_of(TEMPLATE))
    assert is_empty(TEMPLATE)
    assert "".join(section.text for section in sections_of(TEMPLATE)) == TEMPLATE


def test_a_hash_in_a_block_of_code_begins_no_section() -> None:
    text = "# Tides\n_When_\n\n```\n# not a heading\n```\n"
    assert [section.title for section in sections_of(text)] == ["Tides"]


def test_notes_that_keep_to_the_template_pass_as_they_are() -> None:
    assert repair_notes(NOTES, NOTES).text == NOTES
    assert not repair_notes(NOTES, NOTES).repairs


@pytest.mark.parametrize(
    ("after", "repair"),
    [
        (
            "# Tides\n_Whenever_\n\nAt six.\n\n# Boats\n_Which_\n",
            "The guidance of “Tides” was changed; it was put back.",
        ),
        ("# Tides\nAt six.\n\n# Boats\n_Which_\n", "The guidance of “Tides” was changed; it was put back."),
        ("# Boats\n_Which_\n\n# Tides\n_When_\n\nAt six.\n", "The sections were in another order; it was put back."),
        ("# Tides\n_When_\n\nAt six.\n", "The section “Boats” was gone; it was put back as it was."),
        (
            "At six.\n# Tides\n_When_\n\n# Boats\n_Which_\n",
            "What stood before the first heading stands in “Tides” now.",
        ),
        (
            "# Tides\n_When_\n\n# Six\nAt six.\n# Boats\n_Which_\n",
            "The heading “Six” is none of the template; it stands in “Tides” now.",
        ),
    ],
)
def test_what_an_update_may_not_touch_is_put_back(after: str, repair: str) -> None:
    result = repair_notes(NOTES, after)
    assert result.repairs == (repair,)
    assert [(item.title, item.guidance) for item in sections_of(result.text)] == [
        ("Tides", "_When_"),
        ("Boats", "_Which_"),
    ]
    assert "At six." in result.text


def test_without_any_heading_it_is_refused() -> None:
    for after in ("", "Tides at noon.", "## Tides\n"):
        with pytest.raises(NotesBrokenError, match="None of the headings is left"):
            repair_notes(NOTES, after)


@given(LINES)
def test_whatever_an_update_makes_of_them_headings_and_guidance_are_the_same(lines: list[str]) -> None:
    try:
        result = repair_notes(NOTES, "\n".join(lines))
    except NotesBrokenError:
        return
    assert [(item.title, item.guidance) for item in sections_of(result.text)] == [
        ("Tides", "_When_"),
        ("Boats", "_Which_"),
    ]
    assert repair_notes(NOTES, result.text).text == result.text


def test_sections_are_filled_and_what_nothing_was_found_for_stays() -> None:
    assert fill_notes(NOTES, {"Boats": "Green.", "Tides": "", "Fog": "no"}) == NOTES + "\nGreen.\n"


def test_sections_and_the_whole_have_limits() -> None:
    section = f"# {{}}\n_x_\n\n{'word ' * 1_500}\n"
    text = "".join(section.format(title) for title in TITLES[:6])
    sentences = find_overruns(text)
    assert len(sentences) == 7
    assert sentences[0].startswith("The section “Session Title” has ~2,5")
    assert sentences[-1].endswith("tokens in all; 12,000 are the limit.")
    assert sentences[0] in update_prompt(text, "/notes/summary.md", warnings=sentences)


def test_names_are_substituted_once() -> None:
    assert substitute("{{a}} {{b}} {{c}}", {"a": "{{b}}", "b": "2"}) == "{{b}} 2 {{c}}"
