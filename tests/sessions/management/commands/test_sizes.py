from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.sessions.weights.test_services import talk
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("sizes", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def test_it_measures_what_was_not_measured_and_says_how_well_counts_are_explained(file: Written) -> None:
    talk(file, turns=6)
    rows = json.loads(run(file.session, "--json"))
    assert [row["by"] for row in rows] == ["all", "model", "version"]
    assert (rows[0]["requests"], rows[0]["predicted"]) == (7, 6)
    assert rows[0]["named_low"] > 0.99
    assert 0 <= rows[0]["error_median"] <= rows[0]["error_high"] < 0.2


def test_without_json_it_prints_a_table(file: Written) -> None:
    talk(file)
    lines = run().splitlines()
    assert lines[0].split() == ["requests", "named", "5", "%", "messages", "error", "95", "%"]
    assert lines[1].startswith("all      requests")


def test_it_says_how_far_estimates_of_what_was_not_counted_are_off(file: Written) -> None:
    talk(file, turns=6)
    talk(Written(project=file.project, session="22222222-0000-4000-8000-000000000002"), turns=6)
    table = run()
    assert "estimates, where nothing was counted       sessions   public    yours     95 %" in table
    rows = json.loads(run("--json"))
    (estimates,) = [row["estimates"] for row in rows if row["by"] == "model"]
    assert estimates["sessions"] == 2
    assert 0 <= estimates["by_archive"] <= estimates["by_archive_high"]
    assert estimates["by_archive"] < estimates["by_code"]


def test_a_session_that_is_not_there_is_a_clear_failure(file: Written) -> None:
    with pytest.raises(CommandError):
        run("no-such-session")
