"""Facts that are kept, merged, changed and lost."""

from __future__ import annotations

import pytest

from memory.engine.facts import facts_compare

HEAD = b"---\nname: tides\ndescription: when they come\ntype: project\n---\n\n"


def test_what_still_stands_is_kept_wherever_it_stands() -> None:
    found = facts_compare(
        {"a.md": HEAD + b"# Tides\n\n- High water is at noon.\n"}, {"b.md": b"High water is at noon.\n"}
    )
    assert (found.kept, found.merged, found.changed, found.lost, found.new) == (1, 0, 0, (), 0)


def test_what_stood_twice_or_goes_on_with_another_is_merged() -> None:
    before = {
        "a.md": b"High water is at noon.\nBoats of the harbour are green.\n",
        "b.md": b"High water is at noon.\nBoats of the harbour are old.\n",
    }
    after = {"a.md": b"High water is at noon.\nBoats of the harbour are green and old.\n"}
    found = facts_compare(before, after)
    assert (found.kept, found.merged, found.changed, found.lost) == (1, 3, 0, ())


def test_what_reads_otherwise_is_changed_and_what_is_nowhere_is_lost_and_named() -> None:
    before = {"a.md": b"The harbour opens at eight on weekdays.\nThe ferry to Sark sails on Mondays.\n"}
    after = {"a.md": b"The harbour opens at nine on weekdays.\nLanterns burn all night long.\n"}
    found = facts_compare(before, after)
    assert (found.kept, found.merged, found.changed, found.new) == (0, 0, 1, 1)
    assert [(fact.name, fact.text) for fact in found.lost] == [("a.md", "The ferry to Sark sails on Mondays.")]


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
    found = facts_compare({"a.md": stays.encode(), "b.md": fact.encode()}, {"a.md": stays.encode()})
    assert (found.kept, found.merged, found.changed) == (1, 0, 0)
    assert [lost.text for lost in found.lost] == [fact]


def test_a_fact_that_another_said_already_is_merged() -> None:
    stays = b"High water is at noon on Sundays, and nobody sails.\n"
    found = facts_compare({"a.md": stays, "b.md": b"- High waters is at *noon* on Sundays\n"}, {"a.md": stays})
    assert (found.kept, found.merged, found.lost) == (1, 1, ())


def test_a_short_fact_of_which_half_stays_in_its_file_is_changed() -> None:
    found = facts_compare({"a.md": b"We met yesterday.\n"}, {"a.md": b"We met on 2026-03-03.\n"})
    assert (found.changed, found.lost, found.new) == (1, (), 0)


def test_the_index_and_headers_are_no_facts() -> None:
    found = facts_compare({"MEMORY.md": b"- [Tides](tides.md)\n", "tides.md": HEAD}, {})
    assert found.to_json() == {"kept": 0, "merged": 0, "changed": 0, "lost": 0, "new": 0, "lost_lines": []}
