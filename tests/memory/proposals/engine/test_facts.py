"""Facts that are kept, merged, changed and lost."""

from __future__ import annotations

import pytest

from memory.proposals.engine.facts import compare_facts, facts_of

HEAD = b"---\nname: tides\ndescription: when they come\ntype: project\n---\n\n"


def test_what_still_stands_is_kept_wherever_it_stands() -> None:
    facts = compare_facts(
        {"a.md": HEAD + b"# Tides\n\n- High water is at noon.\n"},
        {"b.md": b"High water is at noon.\n## tides\nwhen they come\n"},
    )
    # The name of the topic and its heading are the same words, of which one line is left.
    assert (facts.kept, facts.merged, facts.reworded, facts.lost, facts.new) == (3, 1, (), (), 0)


def test_what_stood_twice_or_goes_on_with_another_is_merged() -> None:
    before = {
        "a.md": b"High water is at noon.\nBoats of the harbour are green.\n",
        "b.md": b"High water is at noon.\nBoats of the harbour are old.\n",
    }
    after = {"a.md": b"High water is at noon.\nBoats of the harbour are green and old.\n"}
    facts = compare_facts(before, after)
    assert (facts.kept, facts.merged, len(facts.reworded), facts.lost) == (1, 3, 0, ())


def test_what_reads_otherwise_is_changed_and_what_is_nowhere_is_lost_and_named() -> None:
    before = {"a.md": b"The harbour opens at eight on weekdays.\nThe ferry to Sark sails on Mondays.\n"}
    after = {"a.md": b"The harbour opens at nine on weekdays.\nLanterns burn all night long.\n"}
    facts = compare_facts(before, after)
    assert (facts.kept, facts.merged, len(facts.reworded), facts.new) == (0, 0, 1, 1)
    assert [(fact.name, fact.text) for fact in facts.lost] == [("a.md", "The ferry to Sark sails on Mondays.")]


@pytest.mark.parametrize(
    "stays",
    [
        "Every datetime inside is aware and in UTC. Local time exists only where text is made.",
        "Every datetime inside is not in local time; UTC exists only where text is made.",
        "Every datetime inside is in Azores time; UTC exists only where text is made.",
    ],
)
def test_a_fact_is_not_merged_into_one_that_contradicts_it(stays: str) -> None:
    fact = "Every datetime inside is in local time; UTC exists only where text is made."
    facts = compare_facts({"a.md": stays.encode(), "b.md": fact.encode()}, {"a.md": stays.encode()})
    assert (facts.kept, facts.merged, len(facts.reworded)) == (1, 0, 0)
    assert [lost.text for lost in facts.lost] == [fact]


def test_a_fact_that_another_said_already_is_merged() -> None:
    stays = b"High water is at noon on Sundays, and nobody sails.\n"
    facts = compare_facts({"a.md": stays, "b.md": b"- High waters is at *noon* on Sundays\n"}, {"a.md": stays})
    assert (facts.kept, facts.merged, facts.lost) == (1, 1, ())


def test_a_short_fact_of_which_half_stays_in_its_file_is_changed() -> None:
    facts = compare_facts({"a.md": b"We met yesterday.\n"}, {"a.md": b"We met on 2026-03-03.\n"})
    assert (len(facts.reworded), facts.lost, facts.new) == (1, (), 0)


def test_the_index_headings_and_headers_are_facts_too_and_are_named_with_their_lines() -> None:
    facts = compare_facts({"MEMORY.md": b"# Memory\n\n- [Boats](boats.md) - all green\n", "tides.md": HEAD}, {})
    assert facts.to_json() == {
        "kept": 0,
        "merged": 0,
        "reworded": 0,
        "lost": 4,
        "new": 0,
        "lost_lines": [
            {"file": "MEMORY.md", "line": 1, "text": "# Memory"},
            {"file": "MEMORY.md", "line": 3, "text": "- [Boats](boats.md) - all green"},
            {"file": "tides.md", "line": 2, "text": "name: tides"},
            {"file": "tides.md", "line": 3, "text": "description: when they come"},
        ],
    }


@pytest.mark.parametrize(
    ("fact", "instead"),
    [
        ("Always use tabs in the parser.", "Never use tabs in the parser."),
        ("The proxy of the harbour listens on port 8080.", "The proxy of the harbour listens on port 9090."),
        ("High water is at noon.", "High water is at one, not at noon."),
    ],
)
def test_a_fact_that_is_denied_or_has_another_number_is_lost_and_not_reworded(fact: str, instead: str) -> None:
    facts = compare_facts({"a.md": fact.encode()}, {"a.md": instead.encode()})
    assert [lost.text for lost in facts.lost] == [fact]


def test_of_two_facts_that_one_line_took_the_place_of_only_one_is_reworded() -> None:
    before = {"a.md": b"The ferry to Sark sails on Mondays.\nThe ferry to Sark sails on Fridays.\n"}
    facts = compare_facts(before, {"a.md": b"The ferry to Sark now sails on Fridays.\n"})
    assert [reworded.fact.text for reworded in facts.reworded] == ["The ferry to Sark sails on Fridays."]
    assert [fact.text for fact in facts.lost] == ["The ferry to Sark sails on Mondays."]


def test_what_only_keeps_the_books_of_a_header_is_no_fact() -> None:
    header = "---\nname: a\nmetadata:\n  type: user\n  originSessionId: 5e1f\n  modified: 2026-01-01\n---\n"
    assert [fact.text for fact in facts_of({"a.md": header.encode()})] == ["name: a"]


def test_a_fact_far_down_a_long_file_counts() -> None:
    before = {"a.md": b"tide\n" * 60_000 + b"The last line is about lanterns.\n"}
    facts = compare_facts(before, {"a.md": b"tide\n"})
    assert [(fact.line, fact.text) for fact in facts.lost] == [(60_001, "The last line is about lanterns.")]
