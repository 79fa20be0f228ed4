from __future__ import annotations

import pytest

from sessions.linking.engine import needs_record, positions_to_read
from sessions.transcripts.engine.flags import Flag
from tests.sessions.linking.engine.log import Log


@pytest.mark.parametrize(
    ("type", "detail", "flags", "expected"),
    [
        ("system", "compact_boundary", Flag.BOUNDARY, True),
        ("system", "microcompact_boundary", Flag(0), True),
        ("system", "snip_boundary", Flag(0), True),
        ("system", "snip-boundary", Flag(0), True),
        ("system", "turn_duration", Flag(0), False),
        ("last-prompt", "", Flag(0), True),
        ("content-replacement", "", Flag(0), True),
        ("marble-origami-commit", "", Flag(0), True),
        ("mode", "", Flag(0), False),
        ("user", "", Flag.SUMMARY, True),
        ("user", "", Flag.SIDECHAIN | Flag.ROOT, True),
        ("user", "", Flag.SIDECHAIN, False),
        ("user", "", Flag.TYPED | Flag.ROOT, False),
        ("assistant", "Task", Flag.CALL, True),
        ("assistant", "Agent", Flag.CALL, False),
        ("assistant", "Bash", Flag.CALL, False),
        ("attachment", "file", Flag(0), False),
    ],
)
def test_only_rows_that_speak_of_others_need_their_record(type: str, detail: str, flags: Flag, expected: bool) -> None:
    assert needs_record(type, detail, flags) is expected


def test_a_new_link_wants_only_the_last_last_prompt_and_no_calls_without_inline_agents() -> None:
    log = Log()
    log.prompt("p1")
    log.leaf("p1")
    log.call("c1", "t1", detail="Task")
    log.leaf("c1")
    log.boundary("b", "c1")

    assert positions_to_read(log.rows) == [3, 4]

    log.add("user", "side", None, flags=Flag.SIDECHAIN)

    assert positions_to_read(log.rows) == [2, 3, 4, 5]
