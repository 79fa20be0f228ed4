from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client

from compaction.kinds.engine import KindSpec
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.kinds.selectors import compactable_messages
from compaction.kinds.services.runs import compaction_run
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Transcript
from sessions.transcripts.engine.messages import Message
from tests.demo import names

ADDRESS = f"/sessions/{names.LONG}/compact/"
SETTINGS = {
    BUDGET: {"set.per_result": "300", "set.preview": "100"},
    SESSION_MEMORY: {"set.notes.keep_tokens": "1,000", "set.notes.keep_text_messages": "2"},
    AUTO: {"set.pipeline.auto.percent": "1"},
    COLLAPSE: {"set.collapse.keep_tokens": "500", "set.collapse.least_score": "0"},
}


def transcript() -> Transcript:
    return Transcript.objects.get(public_id=names.LONG)


def messages() -> tuple[Message, ...]:
    return compactable_messages(load_context(transcript(), point_next(transcript())))


def prompts() -> list[str]:
    return [message.uuid for message in messages() if message.kind == "prompt"]


def chosen(kind: KindSpec) -> dict[str, str]:
    """What a form of this kind has to say, so that something comes of it."""
    more = {SNIP: {"ids": prompts()[0]}, PARTIAL_FROM: {"pivot": prompts()[0]}}
    more[PARTIAL_UP_TO] = more[PARTIAL_FROM]
    return {"kind": kind.name, **more.get(kind, {}), **SETTINGS.get(kind, {})}


def execute(run: Run) -> None:
    """Here and now: a worker would not see what a test has not committed."""
    compaction_run(ActiveRun(run), run)


def page(client: Client, query: dict[str, Any] | None = None, **headers: str) -> str:
    response = client.get(
        ADDRESS, query or {}, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    assert response.status_code == 200
    return words_of(response.content)


def words_of(content: bytes) -> str:
    return re.sub(r"\s+", " ", unescape(content.decode()))


def forecast(html: str) -> str:
    match = re.search(r'<section id="forecast".*?</section>', html)
    assert match
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", match[0]))
