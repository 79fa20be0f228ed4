"""Commands of the user around a compaction: off unless chosen, and shown to their end before any of them runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker

from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from tests.demo import names
from tests.importing import imported
from tests.sessions.made import HOSTILE

pytestmark = pytest.mark.django_db
ADDRESS = f"/sessions/{names.LONG}/compact/"


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, configured.DEMO_DIR):
        yield


def page(client: Client, kind: str) -> str:
    return client.get(ADDRESS, {"kind": kind}).content.decode()


def test_hooks_are_shown_before_any_runs_and_are_off(client: Client, settings: Settings, tmp_path: Path) -> None:
    assert "Commands that are configured" not in page(client, kind="full")
    hook = {"matcher": "manual", "hooks": [{"type": "command", "command": f"echo {HOSTILE}"}]}
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": {"PreCompact": [hook]}}))
    settings.CLAUDE_CONFIG_DIR = tmp_path
    page_html = page(client, kind="full")
    assert "<script>alert" not in page_html
    assert re.search(r'name="hooks" value="off" checked', page_html)
    assert "Commands that are configured" not in page(client, kind="auto")
    assert "Commands that are configured" not in page(client, kind="budget")
    client.post(ADDRESS, {"kind": "full"})
    client.post(ADDRESS, {"kind": "full", "hooks": "user", "hooks-seen": seen(page_html)})
    client.post(ADDRESS, {"kind": "budget", "hooks": "all"})
    assert [run.parameters["hooks"] for run in Run.objects.order_by("pk")] == ["off", "user", "off"]


def seen(html: str) -> str:
    (fingerprint,) = re.findall(r'name="hooks-seen" value="(\w+)"', html)
    return str(fingerprint)


def hooked(folder: Path, command: str) -> None:
    entry = {"hooks": [{"type": "command", "command": command}]}
    (folder / "settings.json").write_text(json.dumps({"hooks": {"PreCompact": [entry]}}))


def test_a_command_is_shown_to_its_end(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    hooked(tmp_path, f"echo {'a' * 2000} \u202e; rm -rf /")
    assert "⟨U+202E⟩; rm -rf /" in page(client, kind="full")


def test_hooks_that_have_changed_since_they_were_shown_are_shown_again(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    hooked(tmp_path, "echo one")
    form = {"kind": "full", "hooks": "user", "hooks-seen": seen(page(client, kind="full"))}
    hooked(tmp_path, "echo two")
    for given in (form, {"kind": "full", "hooks": "user"}):
        answer = client.post(ADDRESS, given)
        assert answer.status_code == 422
        assert "They are not the ones that were shown" in answer.content.decode()
        assert "echo two" in answer.content.decode()
    assert not Run.objects.exists()


def test_what_runs_hooks_is_looked_at_again_before_it_is_repeated(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    hooked(tmp_path, "echo one")
    page_html = page(client, kind="full")
    client.post(ADDRESS, {"kind": "full", "hooks": "user", "hooks-seen": seen(page_html)})
    run = Run.objects.get()
    Run.objects.update(status=Run.Status.FAILED, finished_at=run.created_at)
    answer = client.post(reverse("run-retry", args=[run.pk]))
    assert answer["Location"] == f"{ADDRESS}?again={run.pk}"
    second = client.get(answer["Location"]).content.decode()
    assert "echo one" in second
    assert re.search(r'name="hooks" value="user" checked', second)
    assert Run.objects.count() == 1


def test_the_confirmation_names_the_commands(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.MODELS = ModelSettings(api_key="never used", main="claude-sonnet-5-5", claude="off")
    settings.CLAUDE_CONFIG_DIR = tmp_path
    hooked(tmp_path, "echo one")
    page_html = page(client, kind="full")
    html = client.post(
        ADDRESS, {"kind": "full", "writer": "configured", "hooks": "user", "hooks-seen": seen(page_html)}
    ).content.decode()
    assert "echo one" in html
    assert seen(html) == seen(page_html)
