from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions.capture.selectors.capture_list import add_sessions, list_captures
from sessions.capture.services.captures import capture_store
from sessions.context.selectors.contexts import load_context, load_contexts, point_of_request
from sessions.models import Transcript
from tests.pages import flowing
from tests.sessions.capture.capturing import MARK, Json, exchange, message, request
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
REMINDER = {"type": "text", "text": "<system-reminder>\nSpring tide.\n</system-reminder>"}
SYSTEM = [{"type": "text", "text": "You watch tides.", "cache_control": MARK}]
TOOLS = [{"name": "Bash", "description": "Runs a command."}]


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    """Two requests, of which the second was captured: with a reminder that no record holds."""
    file = Written(project=tmp_path / "projects" / "-home-dev-atlas", session="99999999-2222-4333-8444-555555555555")
    file.user("How high is the water?")
    file.assistant("It is high.", message="msg_first")
    file.user("And tomorrow?")
    file.assistant("Higher.", message="msg_second")
    transcript = file.read()
    messages: list[Json] = [
        {"role": "user", "content": [REMINDER, {"type": "text", "text": "How high is the water?"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It is high."}]},
        {"role": "user", "content": "And tomorrow?"},
    ]
    body = request(*messages, system=SYSTEM, tools=TOOLS, thinking={"type": "adaptive"})
    capture_store(exchange=exchange(body, message("msg_second"), headers=[("anthropic-beta", "one")]))
    return transcript


def test_the_context_of_a_captured_request_is_recorded(transcript: Transcript) -> None:
    _, point = point_of_request(transcript, "msg_second")
    context = load_context(transcript, point)
    assert context.exactness == "recorded"
    assert context.elements[0].to_api()["content"] == [REMINDER, {"type": "text", "text": "How high is the water?"}]
    assert context.unknown == ()
    assert context.setup.system == ({"type": "text", "text": "You watch tides."},)
    assert context.setup.tools == tuple(TOOLS)
    assert context.setup.marks == ({"path": ["system", 0], "value": MARK},)
    assert context.setup.params["betas"] == ["one"]
    assert context.setup.params["thinking"] == {"type": "adaptive"}


def test_blocks_know_the_records_that_they_came_from(transcript: Transcript) -> None:
    _, point = point_of_request(transcript, "msg_second")
    pieces = [piece for element in load_context(transcript, point).elements for piece in element.pieces]
    # The reminder has none.
    assert [piece.message.position is not None for piece in pieces] == [False, True, True, True]


def test_requests_without_a_capture_are_reconstructed_as_before(transcript: Transcript) -> None:
    assert {context.request: str(context.exactness) for context in load_contexts(transcript)} == {
        "msg_first": "reconstructed",
        "msg_second": "recorded",
    }


def test_a_captured_context_takes_two_queries_more(transcript: Transcript) -> None:
    taken = []
    for name in ("msg_first", "msg_second"):
        with CaptureQueriesContext(connection) as queries:
            _, point = point_of_request(transcript, name)
            load_context(transcript, point)
        taken.append(len(queries))
    assert taken[1] == taken[0] + 2


def test_the_page_says_recorded_and_leads_to_the_capture(transcript: Transcript) -> None:
    page = Client(HTTP_HOST="localhost").get(f"/sessions/{transcript.public_id}/context/?request=msg_second")
    (capture,) = list_captures()
    assert f'as it went over the wire, in <a href="/captures/{capture.pk}/">' in flowing(page.content.decode())
    assert "Spring tide." in page.content.decode()


def test_a_capture_finds_its_session_by_the_answer_or_by_name(transcript: Transcript) -> None:
    lost = request(metadata={"user_id": f"user_x_account__session_{transcript.session_id}"})
    capture_store(exchange=exchange(lost, {"type": "error", "error": {"type": "x", "message": "y"}}, status=529))
    rows = add_sessions(list(list_captures()))
    assert {(row.transcript, row.is_matched) for row in rows} == {(transcript, True), (transcript, False)}
