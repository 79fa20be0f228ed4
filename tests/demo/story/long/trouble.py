"""Also in the afternoon: an API that has a bad quarter of an hour, a model of somebody else's, a skill."""

from __future__ import annotations

from tests.demo.story import context, events
from tests.demo.story.blocks import Record, Say, hidden
from tests.demo.story.session import Session
from tests.demo.story.tools import bash, edit, other, write


def bad_quarter(session: Session) -> None:
    """Retries, then a turn that fails, then the same again."""
    session.prompt("Now the tests for alerts, please.", name="alert tests", wait=100)
    events.api_retry(session, 1, 529, "overloaded_error", "Overloaded", "first retry")
    events.api_retry(session, 2, 529, "overloaded_error", "Overloaded")
    events.api_retry(session, 3, 500, "api_error", "Internal server error")
    events.api_failure(
        session, "API Error: 529 Overloaded. Try again in a moment.", 529, "overloaded_error", "api failure"
    )
    session.end_turn()
    session.prompt("try again", name="try again", wait=240)
    events.api_retry(session, 1, 529, "overloaded_error", "Overloaded")
    session.step(hidden(208), write("tests/test_alerts.py", ALERT_TESTS, name="write alert tests"))
    session.step(
        bash(
            "python -m pytest -q && ruff check",
            "Tests and lint",
            "......................                            [100%]\n22 passed in 1.41s\nAll checks passed!",
        )
    )
    session.answer("Four tests for the alerts, 22 in all, lint is clean.")


ALERT_TESTS = """\
from datetime import date

import pytest

from tidewatch import stations
from tidewatch.alerts import alerts, daily_range
from tidewatch.cli import main


def test_springs_and_neaps_take_turns():
    kinds = [alert.kind for alert in alerts(stations.load("port-hallow"), date(2026, 11, 3))]
    assert kinds == ["spring"] * 5 + ["neap"] * 5


def test_a_clock_change_makes_no_alert_of_its_own():
    station = stations.load("port-hallow")
    before, after = daily_range(station, date(2026, 10, 24)), daily_range(station, date(2026, 10, 26))
    assert min(before, after) - 0.3 < daily_range(station, date(2026, 10, 25)) < max(before, after) + 0.3


def test_a_larger_share_means_fewer_alerts():
    station = stations.load("gull-haven")
    assert len(list(alerts(station, date(2026, 11, 3), share=0.4))) < len(list(alerts(station, date(2026, 11, 3))))


def test_a_share_above_one_is_refused():
    with pytest.raises(SystemExit):
        main(["alerts", "port-hallow", "--share", "20"])
"""


def other_model(session: Session) -> None:
    """One turn on a model that runs on the person's own machine: no request id, no known price."""
    events.switch_model(session, "kelp-coder-32b", "kelp-coder-32b", "to the third party")
    session.gateway = True
    session.prompt("Write the changelog entry.", name="third party", wait=25)
    line = "- `alerts`: springs and neaps.\n- Tables have 23 or 25 rows on the days when the clocks change.\n\n"
    session.step(
        edit(
            "CHANGELOG.md",
            "## 0.8.2 - 2026-09-12\n",
            f"## Unreleased\n{line}## 0.8.2 - 2026-09-12\n",
            name="edit changelog",
        ),
        name="third party edit",
    )
    session.answer("Added two lines under *Unreleased*.", name="third party answer")
    session.gateway = False
    events.switch_model(session, "opus", "claude-opus-5-5", "back to opus")


SKILL = """\
Base directory for this skill: /home/dev/tidewatch/.claude/skills/release-notes

Read `git log` since the last tag and CHANGELOG.md. Write at most five lines, the user-visible change first.

ARGUMENTS: 0.9.0"""

NOTES = """\
Release notes for 0.9.0, five lines as the skill asks:

> **Tables tell the truth when the clocks change.** A day has 23, 24 or 25 rows, and each says which clock it is on.
> **New: `tidewatch alerts`** names the springs and neaps of the next days.
> Heights are metres with two decimals everywhere.
> No new dependency. No change to station files.
> Thanks to the harbour office for the predictions we compare with."""


def release_notes(session: Session) -> None:
    session.prompt("Use the release-notes skill for 0.9.0.", name="release notes", wait=55)
    session.attach(context.model(session.model))
    call = other(
        "Skill",
        {"skill": "release-notes", "args": "0.9.0"},
        "Launching skill: release-notes",
        {"success": True, "commandName": "release-notes"},
        name="skill",
    )
    session.step(hidden(56), call)
    ident = session.call_of("skill")
    body: Record = {"isMeta": True, "turnCompanion": True, "sourceToolUseID": ident}
    session.user([{"type": "text", "text": SKILL}], body, "skill body")
    session.attach(({"type": "command_permissions", "allowedTools": []}, {}))
    session.step(
        bash("git log --oneline v0.8.2..", "Commits since the tag", "3f9a1c2 Count hours, not clock faces"),
        skill="release-notes",
    )
    session.step(Say(NOTES), skill="release-notes", name="notes written")
    session.end_turn()
