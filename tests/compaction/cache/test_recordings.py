"""The detection against what the real client sent: every drop of every recording, through import and command line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django.plugin import DjangoDbBlocker

from sessions.models import Request, Transcript
from tests.importing import imported
from tests.samples import SHARED, each, needs_samples
from tests.truth.oracle import Truth, compactions, requests, truths

REALCLIENT = (SHARED / "realclient").resolve()
RECORDINGS = sorted(path.parent for path in REALCLIENT.glob("*/requests.jsonl"))
pytestmark = [needs_samples, pytest.mark.django_db]


@pytest.fixture(scope="module", autouse=True)
def _imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, REALCLIENT):
        yield


def _report(session: Transcript) -> dict[str, Any]:
    out = io.StringIO()
    call_command("cache", session.public_id, "--json", stdout=out)
    data: dict[str, Any] = json.loads(out.getvalue())
    return data


def _sessions(folder: Path) -> list[Transcript]:
    return list(Transcript.objects.filter(kind="main", source__path__startswith=f"{folder}/").order_by("pk"))


def _truths(folder: Path, session: Transcript) -> list[Truth]:
    sent, compacted = requests(folder), compactions(folder)
    results = []
    for item in (session, *session.children.all()):
        ids = Request.objects.filter(transcript=item).order_by("position").values_list("message_id", flat=True)
        results += truths([sent[name] for name in ids if name in sent], compacted)
    return results


@pytest.mark.parametrize("folder", each(RECORDINGS), ids=lambda folder: folder.name)
def test_every_drop_is_found_with_its_cause_and_nothing_else_is(folder: Path) -> None:
    for session in _sessions(folder):
        output = {item["message_id"]: item for item in _report(session)["breaks"]}
        true = {item.message: item for item in _truths(folder, session)}
        assert output.keys() == true.keys()
        for name, truth in true.items():
            assert output[name]["causes"][0] == truth.cause
            assert output[name]["expected"] == truth.expected
            assert (output[name]["previous_read"], output[name]["read"]) == (truth.before, truth.read)


@pytest.mark.parametrize("folder", each(RECORDINGS), ids=lambda folder: folder.name)
def test_the_totals_are_those_of_the_usage(folder: Path) -> None:
    for session in _sessions(folder):
        output = _report(session)
        rows = Request.objects.filter(transcript__in=[session, *session.children.all()], owned=True)
        read = sum(row.cache_read for row in rows)
        whole = sum(row.input + row.cache_read + row.cache_write_5m + row.cache_write_1h for row in rows)
        assert output["requests"] == len(rows)
        assert output["hit_rate"] == pytest.approx(read / whole)


def test_the_recordings_hold_what_the_tests_are_about() -> None:
    """Lest the others pass because nothing was found."""
    causes = {
        truth.cause for folder in RECORDINGS for session in _sessions(folder) for truth in _truths(folder, session)
    }
    assert causes >= {"model_changed", "compaction", "lookback_exceeded"}


def test_the_block_limit_is_told_with_what_it_wasted() -> None:
    (session,) = _sessions(REALCLIENT / "bigresults")
    (item,) = _report(session)["breaks"]
    assert "21 blocks" in item["detail"]
    assert item["wasted_tokens"] == 41_513 + 12_102 - 9_841
    assert item["cost_usd"] == pytest.approx(item["wasted_tokens"] * 4e-6 * (1.25 - 0.05))
    assert item["exactness"] == "recorded"


def test_tools_that_are_loaded_on_demand_come_and_go_without_a_break() -> None:
    (session,) = _sessions(REALCLIENT / "mcp")
    (item,) = _report(session)["breaks"]
    assert item["causes"] == ["model_changed"]
    assert {"deferred_tools_changed", "betas_changed"} <= {other["name"] for other in item["also_changed"]}


def test_lists_of_sessions_count_the_unexpected_ones() -> None:
    out = io.StringIO()
    call_command("sessions", "--json", stdout=out)
    counts = {item["id"]: item["cache_breaks"] for item in json.loads(out.getvalue())}
    (switched,), (compacted,) = (_sessions(REALCLIENT / name) for name in ("model_switch", "manual_compact"))
    assert (counts[switched.public_id], counts[compacted.public_id]) == (3, 0)
    assert all(isinstance(count, int) for count in counts.values())
