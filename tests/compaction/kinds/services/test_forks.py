"""Summaries that are asked for as forks: what the server is sent is the session's own request, and ours after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from compaction.kinds.engine import KindSpec, Parameters
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from compaction.models import Compaction
from inspector.agents.choosing import ModelSettings
from inspector.agents.forks import fork
from inspector.agents.wire import to_bytes
from sessions.context.engine.digest import digest
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.imports.services.sync import sync
from sessions.linking.selectors import LinkRows
from sessions.models import Transcript
from sessions.requests.selectors import NO_SYSTEM, NO_TOOLS, ParentRequest, find_parent_request, find_sharing
from tests.compaction.logged import MARK, PARAMS, SYSTEM, TOOLS, Logged
from tests.compaction.mechanisms.engine.summarising import REPLY
from tests.inspector.agents.server import Call, Fail, MessagesServer, Say, messages_server, too_long
from tests.samples import SHARED, needs_samples
from tests.sessions.writing import MODEL
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000
REALCLIENT = (SHARED / "realclient").resolve()


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as state:
        yield state


@pytest.fixture
def written(tmp_path: Path) -> Logged:
    return Logged(project=tmp_path / "projects" / "-home-dev-tidewatch").talk()


def models(server: MessagesServer, model: str = MODEL) -> ModelSettings:
    return ModelSettings(api_key=server.key, base_url=server.url, main=model, claude="off", first_pause=0.001)


def make(
    transcript: Transcript,
    server: MessagesServer,
    kind: KindSpec = FULL,
    parameters: Parameters | None = None,
    model: str = MODEL,
) -> Compaction:
    summariser = summariser_choose(models(server), model)
    return compaction_make(
        transcript=transcript, kind=kind, parameters=parameters or Parameters(), summariser=summariser, now_ms=NOW
    )


def test_the_fork_is_the_sessions_own_request_byte_for_byte_and_ours_after_it(
    server: MessagesServer, written: Logged
) -> None:
    server.answer(Say(REPLY))
    compaction = make(written.read(), server)
    assert (compaction.done, compaction.report["sharing"]["shared"]) == (True, True)
    (request,) = server.requests
    body = request.json
    *before, ours = body["messages"]
    answer = {
        "role": "assistant",
        "content": [{"type": "text", "text": "It will be 4.4 m high.", "cache_control": MARK}],
    }
    assert to_bytes(before) == to_bytes([*written.sent, answer])
    assert ours["role"] == "user"
    assert "call no tool" in ours["content"][0]["text"]
    assert "cache_control" not in ours["content"][0]
    assert to_bytes(body["system"]) == to_bytes([{**block, "cache_control": MARK} for block in SYSTEM])
    assert to_bytes(body["tools"]) == to_bytes(TOOLS)
    for name in ("model", "max_tokens", "thinking", "context_management", "output_config"):
        assert to_bytes(body[name]) == to_bytes(PARAMS[name]), name
    assert body.keys() - {"system", "tools", "messages", "stream"} == PARAMS.keys() - {"betas"}
    assert request.headers["anthropic-beta"] == ",".join(PARAMS["betas"])


def test_up_to_a_message_the_fork_ends_there(server: MessagesServer, written: Logged) -> None:
    server.answer(Say(REPLY))
    transcript = written.read()
    pivot = next(record["uuid"] for record in written.records if "And tomorrow" in str(record.get("message")))
    compaction = make(
        transcript, server, PARTIAL_UP_TO, Parameters(pivot=pivot, settings={"attachments.enabled": "off"})
    )
    assert compaction.report["requests"][0]["path"] == "fork"
    *before, _ = server.requests[0].json["messages"]
    before[-1]["content"][-1].pop("cache_control")
    assert to_bytes(before) == to_bytes(written.sent[:-1])


def test_from_a_message_on_the_fork_is_whole(server: MessagesServer, written: Logged) -> None:
    server.answer(Say(REPLY))
    transcript = written.read()
    pivot = next(record["uuid"] for record in written.records if "And tomorrow" in str(record.get("message")))
    make(transcript, server, PARTIAL_FROM, Parameters(pivot=pivot))
    *before, _, _ = server.requests[0].json["messages"]
    assert to_bytes(before) == to_bytes(written.sent)


def test_after_a_compaction_the_fork_has_what_the_log_says_of_the_request_before(
    server: MessagesServer, written: Logged
) -> None:
    server.answer(Say(REPLY))
    written.compacts("They spoke of tides. " * 300)
    make(written.read(), server)
    body = server.requests[0].json
    assert to_bytes(body["tools"]) == to_bytes(TOOLS)
    assert body["thinking"] == PARAMS["thinking"]
    assert [len(body["messages"]), body["messages"][0]["role"]] == [2, "user"]
    assert body["messages"][0]["content"][0]["cache_control"] == MARK


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Say(""), "the fork gave no text"),
        (Say("Let me look.", calls=[Call("Read", {})]), "the fork called tools (Read) instead of writing"),
        (Fail(400, "tools.0: unknown"), "The API does not accept the request: tools.0: unknown"),
        (Say("", stop_reason="refusal"), "The model refused to answer"),
    ],
)
def test_a_fork_without_a_summary_is_followed_by_a_direct_call(
    server: MessagesServer, written: Logged, answer: Any, why: str
) -> None:
    server.answer(answer, Say(REPLY))
    compaction = make(written.read(), server)
    assert compaction.done
    first, second = (request.json for request in server.requests)
    assert (first["max_tokens"], second["max_tokens"]) == (128_000, 20_000)
    assert {"tools", "thinking"}.isdisjoint(second)
    assert f"asked for directly: {why}" in compaction.report["why"]
    assert [(request["path"], request["problem"].rstrip(".")) for request in compaction.report["requests"]] == [
        ("fork", why),
        ("direct", ""),
    ]


def test_what_is_too_long_as_a_fork_is_asked_for_directly_and_with_less(
    server: MessagesServer, written: Logged
) -> None:
    server.answer(too_long(200_100), Say(REPLY))
    compaction = make(written.read(), server)
    assert compaction.done
    assert [request["path"] for request in compaction.report["requests"]] == ["fork", "direct"]


def test_another_model_cannot_share_the_cache_and_the_report_says_so(server: MessagesServer, written: Logged) -> None:
    server.answer(Say(REPLY))
    compaction = make(written.read(), server, model="claude-haiku-5-5")
    assert compaction.report["sharing"] == {
        "shared": False,
        "why": f"The session's model {MODEL} is not the one that is asked, claude-haiku-5-5, so its prompt cache cannot"
        " be shared.",
    }
    assert server.requests[0].json["max_tokens"] == 20_000


def test_a_session_without_records_of_its_requests_is_asked_about_directly(
    server: MessagesServer, tmp_path: Path
) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.user("How high is the water? " * 400)
    file.assistant("It is high.")
    server.answer(Say(REPLY))
    compaction = make(file.read(), server)
    assert compaction.report["sharing"] == {"shared": False, "why": NO_SYSTEM}
    assert server.requests[0].json["system"].startswith("You summarise")


def test_whether_the_cache_can_be_shared_is_known_beforehand(server: MessagesServer, written: Logged) -> None:
    transcript = written.read()
    with override_settings(MODELS=models(server)):
        assert find_sharing(transcript, MODEL).is_shared
        assert find_sharing(transcript, f"{MODEL}-20260801").is_shared
        assert find_sharing(transcript, "configured").model == MODEL
        assert not find_sharing(transcript, "claude-haiku-5-5").is_shared
        assert not find_sharing(transcript, "mechanical").is_shared
    with override_settings(MODELS=ModelSettings(claude="true", main=MODEL)):
        assert find_sharing(transcript, MODEL).why == "The claude command line cannot share a prompt cache."
    assert server.requests == []


def test_a_snapshot_of_the_prompt_is_enough_for_a_fork(server: MessagesServer, tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    snapshot = {"type": "prompt_snapshot", "systemPrompt": ["Watch.", "Tell."], "cliPrefix": "You are.", "tools": TOOLS}
    file.user("How high is the water? " * 400)
    file.row("attachment", attachment=snapshot)
    file.assistant("It is high.")
    server.answer(Say(REPLY))
    compaction = make(file.read(), server)
    assert "may have to be read anew" in compaction.report["sharing"]["why"]
    body = server.requests[0].json
    assert [block["text"] for block in body["system"]] == ["You are.", "Watch.\n\nTell."]
    assert body["tools"] == TOOLS


def test_a_snapshot_without_tools_is_not_enough_for_a_fork(server: MessagesServer, tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.user("How high is the water? " * 400)
    file.row("attachment", attachment={"type": "prompt_snapshot", "systemPrompt": ["Watch."]})
    file.assistant("It is high.")
    with override_settings(MODELS=models(server)):
        assert find_sharing(file.read(), MODEL).why == NO_TOOLS


@needs_samples
@pytest.mark.parametrize("name", ["manual_compact", "autocompact_win", "hooks", "rewind_summarize_upto"])
def test_it_is_what_the_real_client_forks(name: str) -> None:
    """What the client itself sent when it compacted begins with what we would send at that moment."""
    sync([REALCLIENT / name / "projects"], workers=1)
    transcript = Transcript.objects.get(source__path__startswith=str(REALCLIENT / name), parent=None)
    theirs, answered = recorded(REALCLIENT / name / "requests.jsonl")
    parent = find_parent_request(transcript, load_context(transcript, before_the_boundary(transcript)))
    assert isinstance(parent, ParentRequest)
    assert parent.logged
    assert (parent.params.model, parent.params.thinking) == (theirs["model"], theirs["thinking"])
    assert set(parent.params.betas) <= set(theirs["betas"].split(","))
    assert [tool["name"] for tool in parent.params.tools] == [tool["name"] for tool in theirs["tools"]]
    # It puts its instruction into the last message of the user, and may leave the newest ones out.
    shared = theirs["messages"][
        : max(index for index, message in enumerate(theirs["messages"]) if message["role"] == "user")
    ]
    ours = [digest_of(message) for message in fork(parent.params, [{"role": "user", "content": "Go"}]).messages]
    assert ours[: len(shared)] == [blocks_of(message) for message in shared]
    assert len(shared) > 10
    assert answered


def recorded(path: Path) -> tuple[dict[str, Any], bool]:
    """The first request of a compaction, and whether it was answered."""
    lines = (json.loads(line) for line in path.read_text().splitlines())
    result = next(line for line in lines if line["kind"] == "compact")
    return result, result["status"] == 200


def before_the_boundary(transcript: Transcript) -> ContextPoint:
    position = transcript.ruler["boundaries"][0]
    rows = LinkRows(transcript.pk, transcript.source_id).load(0, position)
    leaf = [row for row in rows if row.type in ("user", "assistant", "attachment")][-1]
    return ContextPoint(position, leaf.uuid)


def digest_of(message: dict[str, Any]) -> tuple[str, list[str]]:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return message["role"], [digest(block)["sha256"] for block in blocks]


def blocks_of(message: dict[str, Any]) -> tuple[str, list[str]]:
    return message["role"], [block["sha256"] for block in message["content"]]
