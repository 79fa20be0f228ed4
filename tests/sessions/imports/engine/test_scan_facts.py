from __future__ import annotations

from typing import Any

import pytest

from sessions.imports.engine.scan.facts import Facts
from sessions.imports.engine.scan.scanner import Scanner
from sessions.transcripts.engine.flags import Flag
from tests.sessions.writing import Writing


def scanned(writing: Writing, *, agent: bool = False) -> Scanner:
    scanner = Scanner(agent=agent)
    for line in writing.lines():
        scanner.feed(line.rstrip(b"\n"), 0)
    return scanner


def boundary(writing: Writing) -> None:
    writing.row("system", subtype="compact_boundary", content="Conversation compacted", parent=None)


def test_a_boundary_and_its_summary_are_one_compaction_even_with_attachments_between_them() -> None:
    writing = Writing().turns(1)
    boundary(writing)
    writing.row("attachment", attachment={"type": "date", "newDate": "2026-11-02"})
    writing.user("This session is being continued from before.", isCompactSummary=True)
    boundary(writing)
    writing.user("This session is being continued from before.", isCompactSummary=True)

    facts = scanned(writing).facts

    assert facts.compactions == 2
    assert facts.ruler.boundaries == [4, 7]


def test_a_summary_without_a_boundary_is_a_compaction_of_an_old_version() -> None:
    writing = Writing().turns(1)
    writing.user("This session is being continued from before.", isCompactSummary=True)

    assert scanned(writing).facts.compactions == 1


def test_the_context_is_what_was_sent_and_what_was_answered() -> None:
    writing = Writing()
    writing.user("Go")
    for output in (1, 40):
        writing.assistant("a", message="one", usage={"input_tokens": 100, "output_tokens": output})
    writing.assistant("b", message="two", usage={"input_tokens": 60, "output_tokens": 5})
    scanner = scanned(writing)
    scanner.take()

    assert scanner.facts.ruler.points == [[1, 140], [3, 65]]
    assert scanner.facts.peak_context == 140


def test_what_a_sub_agent_is_asked_starts_a_turn_but_was_typed_by_nobody() -> None:
    writing = Writing()
    writing.user("Look for gauges", isSidechain=True)
    writing.assistant("Found.", isSidechain=True)
    scanner = scanned(writing, agent=True)
    batch = scanner.take()

    assert (scanner.facts.turn.number, scanner.facts.typed) == (1, 0)
    assert not any(row.flags & Flag.TYPED for row in batch.entries)
    assert scanner.facts.first_prompt == "Look for gauges"


def test_the_ruler_is_thinned_and_keeps_its_peaks() -> None:
    writing = Writing()
    writing.user("Go")
    for number in range(3000):
        tokens = 90_000 if number == 1234 else number
        writing.assistant("a", message=f"m{number}", usage={"input_tokens": tokens, "output_tokens": 0})
    scanner = scanned(writing)
    scanner.take()

    points = scanner.facts.ruler.points
    assert 200 < len(points) <= 480
    assert max(tokens for _, tokens in points) == 90_000
    assert [position for position, _ in points] == sorted(position for position, _ in points)


@pytest.mark.parametrize("spread", [{"0": "h", "1": "i"}, {"role": "user", "content": {"0": "h", "1": "i"}}])
def test_a_message_of_numbered_characters_is_joined_and_its_line_reported(spread: dict[str, Any]) -> None:
    writing = Writing()
    writing.user("Go")
    writing.row("user", message=spread)
    scanner = Scanner()
    scanner.feed_all(b"".join(writing.lines()), 0)
    batch = scanner.take()

    assert batch.texts[1][1] == "hi"
    ((line, _, _, kind, detail),) = batch.problems
    assert (line, kind) == (2, "numbered")
    assert "2 numbered characters" in detail
    assert batch.oddities == {}
    facts = scanner.facts
    assert (facts.lines, facts.bad_lines, facts.recovered, facts.entries) == (2, 1, 1, 2)


def test_a_reported_line_has_the_number_that_an_editor_shows() -> None:
    scanner = Scanner()
    scanner.feed_all(b'{"type":"mode"}\n\n  \nnot json\n', 0)
    scanner = Scanner(Facts.from_json(scanner.facts.to_json()))
    scanner.feed_all(b"\nnor this\n", 0)

    assert [problem[0] for problem in scanner.take().problems] == [6]
    assert (scanner.facts.lines, scanner.facts.bad_lines) == (3, 2)
