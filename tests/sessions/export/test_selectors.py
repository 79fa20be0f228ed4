from __future__ import annotations

import gc
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions.export.selectors import Sheet, list_sections, read_sheets
from sessions.timeline.engine.cards import CardKind
from sessions.timeline.selectors.window import WINDOW
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def alive(kind: type) -> int:
    gc.collect()
    return sum(type(item) is kind for item in gc.get_objects())


def test_windows_are_read_when_they_are_asked_for_and_let_go_of_afterwards(file: Written) -> None:
    file.turns(200)
    transcript = file.read()
    with CaptureQueriesContext(connection) as queries:
        stream = read_sheets(transcript)
        assert len(queries) == 0
        next(stream)
        first = len(queries)
        assert first < 12
        next(stream)
        assert first < len(queries) < 2 * 12
    del stream
    most = 0
    for _ in read_sheets(transcript):
        most = max(most, alive(Sheet))
    assert most <= 2


def test_every_entry_is_there_once_and_in_order(file: Written) -> None:
    file.turns(90)
    transcript = file.read()
    cards = [card for sheet in read_sheets(transcript) for card in sheet.cards]
    positions = [card.position for card in cards]
    assert positions == sorted(set(positions))
    assert {row for card in cards for row in card.rows} == set(range(transcript.entries))


def test_a_boundary_and_its_summary_stay_together_at_the_end_of_a_window(file: Written) -> None:
    for number in range(WINDOW - 1):
        file.assistant(f"Answer {number}")
    file.compacts("This session is being continued: they counted.")
    file.assistant("Back")
    bars = [card for sheet in read_sheets(file.read()) for card in sheet.cards if card.kind is CardKind.BAR]
    assert [card.rows for card in bars] == [(WINDOW - 1, WINDOW)]


def test_a_result_that_was_shown_with_its_call_is_not_shown_again_in_the_next_window(file: Written) -> None:
    for number in range(WINDOW - 2):
        file.assistant(f"Answer {number}")
    file.call("Bash", "toolu_1", command="one")
    file.call("Bash", "toolu_2", command="two")
    blocks = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"output {n}"} for n in (1, 2)]
    file.says(blocks)
    file.assistant("done")
    cards = [card for sheet in read_sheets(file.read()) for card in sheet.cards]
    assert [card.title for card in cards[-3:]] == ["Bash", "Bash", "Assistant"]


def test_the_copy_that_a_compaction_worked_on_is_no_section(file: Written) -> None:
    file.user("Count")
    agent = Written(project=file.project, agent="acompact-17")
    agent.user("Count")
    agent.assistant("A summary")
    agent.read()
    transcript = file.read()
    assert [part.transcript.pk for part in list_sections(transcript, "x")] == [transcript.pk]
