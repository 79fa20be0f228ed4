"""Compactions of a transcript that is out to break the reader's browser, by a model that is, too."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from compaction.kinds.engine import KindSpec
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.kinds.selectors import compactable_messages
from inspector.agents.choosing import ModelSettings
from sessions.context.selectors.contexts import load_context, point_next
from sessions.imports.services.sync import sync
from sessions.models import Transcript
from tests.inspector.agents.server import Say, messages_server
from tests.sessions.crawling import read
from tests.sessions.hostile import PAYLOAD, everywhere, save_with_family

pytestmark = pytest.mark.django_db(transaction=True)
MODEL = "claude-sonnet-5-5"
SETTINGS = {
    BUDGET: ["per_result=50", "preview=20"],
    SESSION_MEMORY: ["keep_tokens=10", "keep_text_messages=1"],
    COLLAPSE: ["keep_tokens=10", "least_score=0"],
    AUTO: ["percent=1"],
}


def made(session: str, kind: KindSpec, *more: str) -> dict[str, Any]:
    given = [word for item in SETTINGS.get(kind, []) for word in ("--set", item)]
    out = StringIO()
    call_command("compact", session, "--kind", str(kind), *more, *given, "--json", stdout=out)
    data: dict[str, Any] = json.loads(out.getvalue())
    return data


def test_nothing_executes_before_and_after_a_compaction(client: Client, settings: Settings, tmp_path: Path) -> None:
    project = tmp_path / "config" / "projects" / "-home-dev-tidewatch"
    writing = everywhere(PAYLOAD)
    for number in range(8):
        writing.user(f"{number} {PAYLOAD}")
        writing.assistant(f"{number} {PAYLOAD}")
    save_with_family(writing, project, PAYLOAD, "plain.txt")
    sync([tmp_path / "config"])
    transcript = Transcript.objects.get(session_id=writing.session, parent=None)
    messages = compactable_messages(load_context(transcript, point_next(transcript)))
    prompts = [message.uuid for message in messages if message.kind == "prompt"]
    chosen = {
        SNIP: ["--ids", prompts[-2]],
        PARTIAL_FROM: ["--pivot", prompts[-2]],
        PARTIAL_UP_TO: ["--pivot", prompts[-2]],
    }
    page = f"/sessions/{transcript.public_id}/"
    pages, applied = [f"{page}compactions/"], 0
    with messages_server() as server:
        settings.MODELS = ModelSettings(api_key=server.key, base_url=server.url, main=MODEL, claude="off")
        server.otherwise = Say(f"<summary>\n1. {PAYLOAD}:\n   {PAYLOAD}\n</summary>")
        for kind in KINDS:
            for model in ("mechanical", MODEL) if kind is FULL else ("mechanical",):
                made_comparison = made(transcript.public_id, kind, "--model", model, *chosen.get(kind, []))
                text = f"{page}compactions/run-{made_comparison['run']}/"
                applied += made_comparison["report"]["applied"]
                pages += [text, f"{text}?view=inline", f"/runs/{made_comparison['run']}/"]
                pages += [f"{text}summary/"] if made_comparison["summary"] and kind is not COLLAPSE else []
                pages += [f"{page}compact/?kind={kind}", f"{page}compare/?a=next&b=run:{made_comparison['run']}"]
    assert applied >= 5
    quoted = 0
    for address in pages:
        answer = client.get(address, headers={"host": "localhost"})
        assert answer.status_code == 200, address
        html = answer.content.decode()
        assert read(html)[1] == [], address
        assert "<script>" not in html, address
        quoted += "&lt;script&gt;" in html
    assert quoted > len(pages) // 2
