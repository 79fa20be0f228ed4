from __future__ import annotations

import pytest

from compaction.mechanisms.engine.attachments import find_process
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

KINDS = {
    "Q": "queue-operation",
    "C": "cost-state",
    "F": "file-history-snapshot",
    "U": "user",
    "A": "assistant",
    "E": "assistant",
}


def rows(kinds: str) -> list[LinkRow]:
    return [
        LinkRow(position, KINDS[kind], "", None, None, None, None, int(Flag.ERROR) if kind == "E" else 0)
        for position, kind in enumerate(kinds)
    ]


@pytest.mark.parametrize(
    ("kinds", "resumed_at"),
    [("UAUA", -1), ("UAQUA", 3), ("UAQ", 3), ("UAQFUA", -1), ("UACUA", 3), ("UAC", 3), ("UQAUA", -1)],
)
def test_when_the_client_was_started_anew(kinds: str, resumed_at: int) -> None:
    assert find_process(rows(kinds), lambda position: False).resumed_at == resumed_at


def test_a_program_that_streams_its_prompts_keeps_the_client_running() -> None:
    assert find_process(rows("UAQUAQ"), lambda position: True).resumed_at == -1


def test_an_error_in_place_of_the_latest_answer_is_found() -> None:
    assert find_process(rows("UAUE"), lambda position: False).error_at == 3
    assert find_process(rows("UEUA"), lambda position: False).error_at == -1
