from __future__ import annotations

from tests.sessions.engine.lint.bodies import body, found, only, user


def test_a_body_has_at_most_32_megabytes() -> None:
    finding = only(body(user("x" * 33 * 1024 * 1024)))
    assert (finding.rule, finding.path) == ("too-large", "")
    assert "33.0 MB" in finding.message


def test_a_conversation_has_at_most_100_000_messages() -> None:
    message = user("go")
    assert found(body(*[message] * 100_000)) == []
    assert only(body(*[message] * 100_001)).rule == "too-many-messages"
