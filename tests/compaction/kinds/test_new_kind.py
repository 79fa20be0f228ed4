"""A kind of compaction that only this test knows: one object in `KINDS`, and nothing else is told of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from compaction.kinds.engine import CompactionResult, KindSpec, Parameters, apply_kind, specs
from compaction.kinds.engine.job import Job
from compaction.kinds.selectors.form import SessionSnapshot
from compaction.kinds.services.runs import compaction_run
from compaction.mechanisms.engine import Outcome, Report
from compaction.mechanisms.engine.setting_field import setting
from compaction.models import Compaction
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun
from inspector.web.clock import now_ms
from sessions.models import Transcript
from sessions.usage.engine.tokens import estimate
from tests.demo import names
from tests.importing import imported
from tests.sessions.transcripts.engine.talk import answered, typed

pytestmark = pytest.mark.django_db
ADDRESS = f"/sessions/{names.LONG}/compact/"


@dataclass(frozen=True, slots=True)
class TailConfig:
    keep: int = setting(4, "Messages at the end that stay.", label="Latest messages", most=50)


def keep_the_tail(job: Job, config: TailConfig) -> CompactionResult:
    tail = job.messages[-config.keep :]
    sizes = estimate(job.messages, job.counter), estimate(tail, job.counter)
    report = Report("tail", True, f"The last {config.keep} messages stay.", *sizes)
    return job.report(Outcome(tail, report, None))


TAIL = KindSpec(
    name="tail",
    title="Only the tail",
    removes="Everything but the end.",
    loses="The beginning.",
    apply=keep_the_tail,
    config=TailConfig(),
    first_fields=("keep",),
    action="Cut it off",
)


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR):
        yield


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specs, "KINDS", (*specs.KINDS, TAIL))


def read_page(client: Client, query: str) -> str:
    text = re.sub(r"<[^>]+>", " ", unescape(client.get(f"{ADDRESS}?{query}").content.decode()))
    return re.sub(r"\s+", " ", text)


def test_the_library_applies_a_new_kind() -> None:
    messages = [typed("How high is it?"), answered("Two metres."), typed("And at noon?"), answered("One metre.")]
    applied = apply_kind(TAIL, messages, Parameters(settings={"keep": "2"}), now=0.0)
    assert list(applied.after) == messages[2:]


def test_the_form_offers_a_new_kind_with_its_fields(client: Client) -> None:
    assert "Only the tail tail Removes Everything but the end. Loses The beginning." in read_page(client, "kind=auto")
    page = read_page(client, "kind=tail")
    assert "Latest messages Messages at the end that stay. Usually 4." in page
    assert "Cut it off" in page


def test_the_form_refuses_a_value_out_of_the_range_of_a_new_kind(client: Client) -> None:
    assert "It must not be more than 50." in read_page(client, "kind=tail&set.keep=51")


def test_the_forecast_covers_a_new_kind(client: Client) -> None:
    assert "The last 3 messages stay." in read_page(client, "kind=tail&set.keep=3")
    situation = SessionSnapshot(Transcript.objects.get(public_id=names.LONG))
    forecast = situation.forecast(TAIL, Parameters(), now_ms=now_ms())
    assert forecast.applied is not None
    assert forecast.tokens_freed > 0


def test_the_button_starts_a_run_of_a_new_kind(client: Client) -> None:
    client.post(ADDRESS, {"kind": "tail", "set.keep": "3"})
    run = Run.objects.get()
    compaction_run(ActiveRun(run), run)
    assert Compaction.objects.get(run_id=run.pk).kind == "tail"


def test_the_command_makes_a_new_kind() -> None:
    out = StringIO()
    call_command("compact", names.LONG, "--kind", "tail", "--set", "keep=3", "--json", stdout=out)
    document = json.loads(out.getvalue())
    assert document["kind"] == "tail"
    assert document["report"]["why"].startswith("The last 3 messages stay.")
