"""The monthly budget, held against a real server that speaks the Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from compaction.kinds.services.runs import compaction_run
from inspector.agents.choosing import ModelSettings
from inspector.budget.selectors import budget_at
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError
from inspector.web.clock import now_ms
from sessions.models import Transcript
from tests.inspector.agents.server import Fail, MessagesServer, Say, messages_server, too_long
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
DAY_MS = 86_400_000
MODEL = "claude-opus-5-5"
NOVEMBER = 1_794_700_800_000
"""The 15th, at noon."""
SUMMARY = "<summary>\nTo have it done.\n</summary>"
MUCH = {"input_tokens": 1_000_000, "output_tokens": 5}
"""Four dollars and a little."""


@pytest.fixture
def server(settings: Settings) -> Iterator[MessagesServer]:
    with messages_server() as state:
        settings.MODELS = ModelSettings(state.key, state.url, MODEL, claude="off", monthly_budget=5.0)
        yield state


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    return file.read()


def spent(cost: float | None, at: int | None = None, **more: Any) -> Run:
    given = {"kind": "compaction", "status": "completed", "created_at": now_ms() if at is None else at}
    return Run.objects.create(**{**given, "cost": cost, "output_tokens": 9, **more})


def run(transcript: Transcript, **parameters: Any) -> dict[str, Any]:
    request = {"transcript": transcript.pk, "kind": "full", "model": MODEL, **parameters}
    made = Run.objects.create(kind="compaction", status="running", created_at=now_ms(), parameters=request)
    return compaction_run(ActiveRun(made), made)


def test_the_calendar_month_counts_and_what_is_not_known_is_said(settings: Settings) -> None:
    settings.MODELS = replace(settings.MODELS, monthly_budget=10.0)
    spent(2.0, NOVEMBER)
    spent(1.5, NOVEMBER - 14 * DAY_MS)
    spent(64.0, NOVEMBER - 15 * DAY_MS)
    spent(None, NOVEMBER)
    spent(None, NOVEMBER, output_tokens=0)
    budget = budget_at(NOVEMBER)
    assert (budget.month, budget.spent, budget.remaining, budget.unpriced) == ("November 2026", 3.5, 6.5, 1)
    assert not budget.is_used_up


def test_without_a_budget_there_is_no_limit(settings: Settings) -> None:
    spent(1_000.0)
    budget = budget_at(now_ms())
    assert (budget.limit, budget.remaining, budget.is_used_up) == (None, None, False)


def test_a_run_does_not_start_when_nothing_is_left(server: MessagesServer, transcript: Transcript) -> None:
    spent(5.01)
    with pytest.raises(RunError, match=r"used up, so no model was asked. Models have cost \$5.01 of \$5.00 in .*Raise"):
        run(transcript)
    assert not server.requests
    assert run(transcript, model="")["written_by"] == "mechanical"


def test_a_budget_of_nothing_asks_nobody(server: MessagesServer, transcript: Transcript, settings: Settings) -> None:
    settings.MODELS = replace(settings.MODELS, monthly_budget=0.0)
    with pytest.raises(RunError, match="used up"):
        run(transcript)


def test_what_its_requests_have_cost_ends_a_run(server: MessagesServer, transcript: Transcript) -> None:
    """The second request of a run is not sent: the first, which held no summary, has used it up."""
    spent(1.5)
    server.answer(Say("", usage=MUCH), Say(SUMMARY))
    fields = {"kind": "collapse", "settings": {"keep_tokens": "100", "least": "10", "most": "800", "least_score": "0"}}
    with pytest.raises(RunError, match=r"Models have cost \$5.50 of \$5.00"):
        run(transcript, **fields)
    assert len(server.requests) == 1


def test_a_request_that_costs_more_than_is_left_is_not_sent(server: MessagesServer, transcript: Transcript) -> None:
    spent(4.99)
    with pytest.raises(RunError, match=r"What is sent next can cost ~\$0\.02, which is more than is left"):
        run(transcript)
    assert not server.requests


def test_what_is_within_the_budget_is_asked_again_as_before(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(too_long(200_500), Say(SUMMARY))
    assert run(transcript)["written_by"] == MODEL
    server.answer(Fail(401))
    with pytest.raises(RunError, match="key"):
        run(transcript)


def test_runs_without_a_known_price_are_let_through_and_named(server: MessagesServer, transcript: Transcript) -> None:
    spent(None)
    server.answer(Say(SUMMARY))
    run(transcript, model="kelp-coder-32b")
    spent(5.0)
    with pytest.raises(RunError, match="without 1 run whose price is unknown"):
        run(transcript, model="kelp-coder-32b")


def test_the_command_line_is_held_to_it_too(server: MessagesServer, transcript: Transcript) -> None:
    spent(6.0)
    with pytest.raises(CommandError, match="The monthly budget is used up"):
        call_command("compact", transcript.public_id, "--kind", "full", "--model", "configured")
    assert Run.objects.latest("pk").status == "failed"
    assert not server.requests
