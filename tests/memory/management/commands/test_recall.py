"""`lucid recall` on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from inspector.startup.home import prepare_home
from tests.inspector.agents.server import MessagesServer, Say, messages_server

pytestmark = pytest.mark.django_db
working = pytest.mark.django_db(transaction=True)
"""A run writes from a thread of its own."""
DEMO = settings.DEMO_DIR / "projects" / "-home-dev-tidewatch" / "memory"
SMALL = "claude-haiku-5-5"


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    prepare_home(settings.LUCID_HOME)
    with messages_server() as result:
        models = ModelSettings(small=SMALL, claude="off", api_key=result.key, base_url=result.url)
        with override_settings(MODELS=models):
            yield result


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("recall", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json")[0])


def test_without_a_model_the_ranker_chooses_and_is_named() -> None:
    result = document(str(DEMO), "print the heights in the alert")

    assert {"considered", "selected", "model"} <= result.keys()
    assert (result["considered"], result["model"]) == (14, "BM25 (local ranker)")
    assert [item["file"] for item in result["selected"]] == ["heights-two-decimals.md", "metres-two-decimals.md"]
    assert result["selected"][0]["why"].startswith("shares “")
    assert result["selected"][0]["bytes"] == (DEMO / "heights-two-decimals.md").stat().st_size
    assert not Run.objects.exists()


@working
def test_a_model_that_is_named_is_asked_and_its_price_is_told_first(server: MessagesServer) -> None:
    server.answer(Say('["fog.md", "user-dev.md"]'))

    out, err = run(str(DEMO), "print the heights", "--model", "small", "--json")

    data = json.loads(out)
    assert (data["model"], [item["file"] for item in data["selected"]]) == (SMALL, ["user-dev.md"])
    assert data["refused"] == ["fog.md: the list has no such file"]
    assert err.startswith(f"Asking {SMALL}: ~")
    assert "$" in err
    assert Run.objects.get().cost is not None


@working
def test_beyond_the_budget_the_command_fails_with_a_reason(server: MessagesServer) -> None:
    broke = override_settings(MODELS=replace(settings.MODELS, monthly_budget=0.0))
    with broke, pytest.raises(CommandError, match="budget"):
        run(str(DEMO), "print the heights", "--model", "small")
    assert server.requests == []


def test_recall_prints_lines_for_people() -> None:
    out, _ = run(str(DEMO), "which token does the tide server want")

    assert out.startswith("14 of 14 files were considered\nserver-token.md  ")
    assert "<system-reminder>" in out
    assert "ghp_EXAMPLE" not in out


def test_a_directory_that_is_not_there_is_a_clear_failure(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="does not exist"):
        run(str(tmp_path / "none"), "any message")
