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
from inspector.runs.models import Run
from inspector.startup.home import prepare_home
from memory.dreams.engine.lock import NAME
from memory.history.services.restoration import batch_undo
from memory.models import Batch
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
    data: dict[str, Any] = json.loads(out.getvalue())
    return data


@override_settings(MODELS=ModelSettings(claude="off"))
def test_without_a_model_it_tidies_and_accepts_on_demand(shelf: Shelf) -> None:
    result = dream(shelf)
    assert [gate["name"] for gate in result["gates"]] == ["enabled", "time", "scan", "sessions", "lock"]
    assert (result["run"], result["status"], result["decision"]) == (Run.objects.get().pk, "completed", "open")
    index, recovered = result["proposal"]
    assert (index["file"], index["action"]) == ("MEMORY.md", "updated")
    assert index["diff"].splitlines()[3:5] == ["-- [Gone](gone.md)", " - [Tides](tides.md)"]
    assert (recovered["file"], recovered["action"]) == ("recovered-from-index.md", "created")
    assert result["lost"] == []
    assert shelf.read("MEMORY.md").startswith(b"- [Gone]")
    assert dream(shelf, "--accept")["decision"] == "accepted"
    assert shelf.read("MEMORY.md").startswith(b"- [Tides](tides.md)\n")
    assert b"- [Gone](gone.md)\n" in shelf.read("recovered-from-index.md")
    assert dream(shelf)["proposal"] == []
    batch_undo(batch=Batch.objects.latest("pk"))
    assert shelf.read("MEMORY.md").startswith(b"- [Gone]")


@override_settings(MODELS=ModelSettings(claude="off"))
def test_accepting_keeps_the_words_of_pointers_to_nowhere(shelf: Shelf) -> None:
    """176 of 177 had words that stood nowhere else; all were deleted, and the count said that none was lost."""
    hooks = [f"the lock keeper of gate {index} wants {index * 3} ropes" for index in range(176)]
    lines = [f"- [Gate {index}](gate_{index}.md) - {hook}" for index, hook in enumerate(hooks)]
    shelf.outside(
        "MEMORY.md", "\n".join([*lines, "- [Tides](tide.times.md) - when", "- [Tides](tides.md)", ""]).encode()
    )
    result = dream(shelf, "--accept")
    assert (result["decision"], result["lost"], result["left"]) == ("accepted", [], [])
    text = b"\n".join(shelf.all().values()).decode()
    assert [hook for hook in hooks if hook not in text] == []
    facts = result["facts"]
    assert facts["kept"] + facts["merged"] + facts["reworded"] == 177 + 4


def test_accepting_leaves_what_would_lose_a_fact_and_says_so(shelf: Shelf) -> None:
    shelf.outside("fog.md", b"Fog comes at dawn.\n")
    with messages_server() as server:
        models = ModelSettings(api_key=server.key, base_url=server.url, main=MODEL, claude="off", idle_timeout=5)
        written = [("fog.md", ""), ("wind.md", "West wind brings rain.\n")]
        calls = [Call("Write", {"file_path": name, "content": text}, name) for name, text in written]
        read = Call("Read", {"file_path": "fog.md"})
        with override_settings(MODELS=models):
            server.answer(Say(calls=[read]), Say(calls=calls), Say("Done."))
            result = dream(shelf, "--accept")
            assert (result["decision"], result["lost"]) == ("partly", [])
            assert result["left"] == [{"file": "fog.md", "line": 1, "text": "Fog comes at dawn."}]
            assert "Left as it was, because it would lose 1 fact: changes of fog.md." in result["summary"]
            assert {"fog.md", "wind.md"} <= set(shelf.all())
            server.answer(Say(calls=[read]), Say(calls=calls[:1]), Say("Done."))
            with pytest.raises(CommandError, match="Nothing of it was accepted: it would lose 1 fact"):
                dream(shelf, "--accept")
            assert "fog.md" in shelf.all()
            server.answer(Say(calls=[read]), Say(calls=calls[:1]), Say("Done."))
            result = dream(shelf, "--accept-losses")
    assert result["decision"] == "accepted"
    assert result["lost"] == [{"file": "fog.md", "line": 1, "text": "Fog comes at dawn."}]
    assert "fog.md" not in shelf.all()


def test_with_a_model_it_dreams(shelf: Shelf) -> None:
    with messages_server() as server:
        models = ModelSettings(api_key=server.key, base_url=server.url, main=MODEL, claude="off", idle_timeout=5)
        server.answer(Say(calls=[Call("Write", {"file_path": "wind.md", "content": "West.\n"})]), Say("Done."))
        with override_settings(MODELS=models):
            result = dream(shelf)
    assert [(file["file"], file["action"]) for file in result["proposal"]] == [("wind.md", "created")]
    assert Run.objects.get().model == MODEL


@override_settings(MODELS=ModelSettings(claude="off"))
def test_a_lock_that_is_held_is_a_gate_that_is_shut(shelf: Shelf) -> None:
    (shelf.path / NAME).write_text(str(os.getpid()))
    result = dream(shelf)
    assert [gate["name"] for gate in result["gates"] if gate["name"] == "lock" and not gate["open"]] == ["lock"]
    assert (result["run"], result["status"], result["proposal"]) == (None, "refused", [])
    with pytest.raises(CommandError, match="holds the lock"):
        call_command("dream", str(shelf.path))
    assert not Run.objects.exists()


def test_what_is_no_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is no directory"):
        call_command("dream", str(tmp_path / "nowhere"))
