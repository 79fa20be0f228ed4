from __future__ import annotations

from textwrap import indent

import pytest

from compaction.mechanisms.engine.compaction.continuation import continuation_text
from compaction.mechanisms.engine.full.prompt import SECTIONS, Variant
from compaction.mechanisms.engine.mechanical import MechanicalConfig, facts_of, mechanical_summary
from compaction.trail.engine.attribution import SentenceForm, sections_of
from tests.compaction.trail.engine.attribution.labelled import MESSAGES

CLIENT = """\
This session is being continued from a previous conversation that ran out of context. The summary below covers it.

Analysis:
Let me go through the conversation:

1. **Initial Request**: the user wanted a calendar.

Summary:
1. Primary Request and Intent:
   A calendar. It has to know e.g. Easter.
2. **Errors and fixes:**
   - None
     1. Not even one:
3. All user messages:
   - "fix it. And then
     7. tell me"
9. Optional Next Step: run `make test. Now`.

If you need specific details from before compaction, read the full transcript at: /home/dev/x.jsonl
Please continue the conversation from where we left off.
"""


def titles(summary: str) -> list[str]:
    return [section.title for section in sections_of(summary)]


def texts(summary: str, title: str) -> list[str]:
    return [
        sentence.text for section in sections_of(summary) if section.title == title for sentence in section.sentences
    ]


def test_the_sections_of_the_client_are_told_from_its_words_around_them() -> None:
    sections = sections_of(CLIENT)
    assert [(section.title, section.is_frame) for section in sections] == [
        ("", True),
        ("Analysis", False),
        ("Primary Request and Intent", False),
        ("Errors and fixes", False),
        ("All user messages", False),
        ("Optional Next Step", False),
        ("", True),
    ]
    numbers = [sentence.number for section in sections for sentence in section.sentences]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_sentence_does_not_end_in_an_abbreviation_or_in_code() -> None:
    assert texts(CLIENT, "Primary Request and Intent") == ["A calendar.", "It has to know e.g. Easter."]
    assert texts(CLIENT, "Optional Next Step") == ["run `make test. Now`."]


def test_a_message_of_the_user_stays_whole() -> None:
    assert texts(CLIENT, "All user messages") == ['"fix it. And then\n7. tell me"']


@pytest.mark.parametrize("variant", Variant)
def test_every_variant_of_our_own_prompt_is_known(variant: Variant) -> None:
    request = [section.title for section in SECTIONS[variant]]
    written = mechanical_summary(facts_of(MESSAGES), MechanicalConfig(least_characters=20_000), variant)
    assert [title for title in titles(written) if title] == request
    assert [
        title for title in titles(continuation_text(written, has_kept=True, transcript_path="/x.jsonl")) if title
    ] == request


def test_headings_of_notes_are_sections_too() -> None:
    assert titles("# Session Title\n_A short title_\nFerries\n\n# Current State\n## Tests\nAll pass.") == [
        "Session Title",
        "Current State",
    ]


def test_a_summary_without_headings_is_one_section() -> None:
    (section,) = sections_of("We fixed it. It works.\n\n- twice\n- thrice")
    assert section.title == ""
    assert [sentence.text for sentence in section.sentences] == ["We fixed it.", "It works.", "twice", "thrice"]


def test_code_stays_whole_and_holds_no_headings() -> None:
    code = "```python\n# one. Two\n4. Errors and Fixes:\n```"
    summary = "3. Files and Code Sections:\n   - a.py\n" + indent(code, "     ") + "\n   end"
    (section,) = sections_of(summary)
    assert [(sentence.form, sentence.depth) for sentence in section.sentences] == [
        (SentenceForm.ITEM, 1),
        (SentenceForm.CODE, 2),
        (SentenceForm.TEXT, 1),
    ]
    assert section.sentences[1].text == code


def test_nothing_gets_lost_of_a_summary_that_is_too_long() -> None:
    summary = "word " * 60_000
    kept = "".join(sentence.text for section in sections_of(summary) for sentence in section.sentences)
    assert kept.count("word") == 60_000


def test_there_may_be_nothing_at_all() -> None:
    assert sections_of("") == sections_of("  \n ") == ()
