"""`lucid dream`."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

from inspector.agents.choosing import ModelSettings
from inspector.models import Run
from inspector.startup.home import prepare_home
from memory.engine.dreaming.lock import NAME
from memory.models import Batch
from memory.services.restoring import batch_undo
from tests.inspector.agents.server import Call, Say, messages_server
from tests.memory.remembering import Shelf
from tests.sessions.writing import MODEL

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    prepare_home(settings.LUCID_HOME)
    shelf = Shelf(tmp_path / "memory")
    shelf.outside("MEMORY.md", b"- [Gone](gone.md)\n- [Tides](tides.md)\n")
    shelf.outside("tides.md", b"---\nname: tides\ndescription: when\ntype: user\n---\n\nHigh.\n")
    return shelf


def dream(shelf: Shelf, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("dream", str(shelf.path), "--json", *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@override_settings(MODELS=ModelSettings(claude="off"))
def test_without_a_model_it_tidies_and_accepts_on_demand(shelf: Shelf) -> None:
    found = dream(shelf)
    assert [gate["name"] for gate in found["gates"]] == ["enabled", "time", "scan", "sessions", "lock"]
    assert (found["run"], found["status"], found["decision"]) == (Run.objects.get().pk, "completed", "open")
    (file,) = found["proposal"]
    assert (file["file"], file["action"]) == ("MEMORY.md", "updated")
    assert file["diff"].splitlines()[-2:] == ["-- [Gone](gone.md)", " - [Tides](tides.md)"]
    assert shelf.read("MEMORY.md").startswith(b"- [Gone]")
    assert dream(shelf, "--accept")["decision"] == "accepted"
    assert shelf.read("MEMORY.md") == b"- [Tides](tides.md)\n"
    assert dream(shelf)["proposal"] == []
    batch_undo(batch=Batch.objects.latest("pk"))
    assert shelf.read("MEMORY.md").startswith(b"- [Gone]")


def test_with_a_model_it_dreams(shelf: Shelf) -> None:
    with messages_server() as server:
        models = ModelSettings(api_key=server.key, base_url=server.url, main=MODEL, claude="off", idle_timeout=5)
        server.answer(Say(calls=[Call("Write", {"file_path": "wind.md", "content": "West.\n"})]), Say("Done."))
        with override_settings(MODELS=models):
            found = dream(shelf)
    assert [(file["file"], file["action"]) for file in found["proposal"]] == [("wind.md", "created")]
    assert Run.objects.get().model == MODEL


@override_settings(MODELS=ModelSettings(claude="off"))
def test_a_lock_that_is_held_is_a_gate_that_is_shut(shelf: Shelf) -> None:
    (shelf.path / NAME).write_text(str(os.getpid()))
    found = dream(shelf)
    assert [gate["name"] for gate in found["gates"] if gate["name"] == "lock" and not gate["open"]] == ["lock"]
    assert (found["run"], found["status"], found["proposal"]) == (None, "refused", [])
    with pytest.raises(CommandError, match="holds the lock"):
        call_command("dream", str(shelf.path))
    assert not Run.objects.exists()


def test_what_is_no_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is no directory"):
        call_command("dream", str(tmp_path / "nowhere"))
