from __future__ import annotations

import json

from tests.sessions.lint.engine.bodies import body, lint, only, user


def test_a_body_has_at_most_32_megabytes() -> None:
    room = 32 * 1024 * 1024 - len(json.dumps(body(user("")), separators=(",", ":")))
    assert lint(body(user("x" * room))) == []
    finding = only(body(user("x" * (room + 1))))
    assert (finding.rule, finding.path) == ("too-large", "")
    assert "33,554,433 bytes" in finding.message


def test_a_conversation_has_at_most_100_000_messages() -> None:
    message = user("go")
    assert lint(body(*[message] * 100_000)) == []
    assert only(body(*[message] * 100_001)).rule == "too-many-messages"
