"""The table of all versions."""

from __future__ import annotations

from tests.truth.misses import UNEXPLAINED, Miss
from tests.truth.report import Report, table


def _report(version: str, *causes: str) -> Report:
    report = Report(version, scenarios=2, requests=10, conversations=10 - len(causes), whole=4)
    report.miss("tools", *(Miss("conversation", cause, "request 3") for cause in causes))
    report.miss("tools", Miss("whole", "reminders in no record", "request 4"))
    return report


def test_conversations_that_are_not_exact_are_counted_with_those_that_are_marked() -> None:
    marked, other = _report("2.1.1", "words of an attachment in no record", UNEXPLAINED), _report("2.1.2")
    assert [report.marked() for report in (marked, other)] == ["1 of 2", "0 of 0"]


def test_several_versions_have_a_sum_and_a_version_alone_has_none() -> None:
    *_, last = table([_report("2.1.1", UNEXPLAINED), _report("2.1.2")]).splitlines()
    assert last.startswith("| all | 4 | 20 | 19 | 0 of 1 | 8 |")
    assert "all" not in table([_report("2.1.1")])
