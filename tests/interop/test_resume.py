"""Every kind of compaction, exported and resumed by the real client: it sends what we said that it would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from compaction.export.services import compaction_export
from compaction.kinds.engine import KindSpec
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.selectors import compactable_messages, compaction_load
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from compaction.models import Compaction
from inspector.agents.choosing import MECHANICAL, ModelSettings
from sessions.context.engine import Context, Log, context_at
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next
from sessions.models import Transcript
from sessions.transcripts.engine.messages import join_messages
from tests.compaction.export.engine.test_resumable import parameters_of
from tests.importing import imported
from tests.inspector.agents.server import Say, messages_server
from tests.interop.client import Client, client_command, missing
from tests.truth.exports import conversation, without_news

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.interop,
    pytest.mark.skipif(
        not client_command(), reason=f"NO EXPORT WAS RESUMED: {missing()}; `make interop` installs the client"
    ),
]
NOW = 1_800_000_000_000
WORDS = "Go on, please."


@pytest.fixture(scope="module", autouse=True)
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR):
        yield


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with messages_server() as server:
        server.otherwise = Say("Gone on.")
        yield Client(tmp_path, server)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_client_goes_on_with_the_context_of_the_compaction(kind: KindSpec, client: Client) -> None:
    resumed = 0
    for transcript in Transcript.objects.filter(kind=Transcript.Kind.MAIN):
        point = point_next(transcript)
        session = load_context(transcript, point)
        made = compacted(transcript, point, session, kind)
        if made is None or not made.done:
            continue
        resumed += 1
        written = compaction_export(compaction=made, directory=client.sessions, now_ms=NOW)
        before = written.path.read_bytes()
        context = context_at(Log(before))
        if kind not in (BUDGET, AUTO):  # the paths of their texts are those of this place
            assert join_messages(context.messages) == join_messages(compaction_load(made).after)
        ours = [
            {"role": element.role, "content": [piece.block for piece in element.pieces]} for element in context.elements
        ]
        # Of another model, the client would drop the thinking and put notes into other roles.
        theirs = client.resume(written.session_id, WORDS, model=session.model)
        assert without_news(conversation(theirs), conversation(ours), WORDS) == conversation(ours), transcript
        goes_on_in(written.path, before)
    assert resumed


def compacted(transcript: Transcript, point: ContextPoint, session: Context, kind: KindSpec) -> Compaction | None:
    parameters = parameters_of(kind, compactable_messages(session), 7, session.model)
    if parameters is None:
        return None
    summariser = summariser_choose(ModelSettings(claude="off"), MECHANICAL)
    return compaction_make(
        transcript=transcript, kind=kind, parameters=parameters, summariser=summariser, now_ms=NOW, point=point
    )


def goes_on_in(path: Path, before: bytes) -> None:
    """In the same file, behind what was written, and with a context that we read as it was sent."""
    after = path.read_bytes()
    assert after.startswith(before)
    assert WORDS.encode() in after[len(before) :]
    words = str(context_at(Log(after)).messages)
    assert "Gone on." in words
    assert "No response requested." not in words
