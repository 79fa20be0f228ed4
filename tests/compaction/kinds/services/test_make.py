"""Compactions that a model writes: through a real server that speaks the Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compaction.kinds.engine import KindSpec, Parameters
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.selectors import compaction_get, compaction_load, compactions_of
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import NoModelError, Summariser, summariser_choose
from compaction.kinds.services.watcher import SilentWatcher
from compaction.models import Compaction
from inspector.agents.choosing import CONFIGURED, MECHANICAL, ModelSettings
from sessions.models import Transcript
from tests.compaction.mechanisms.engine.summarising import REPLY, SUMMARY
from tests.inspector.agents.server import Fail, MessagesServer, Say, messages_server, too_long
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000
NOBODY = ModelSettings(claude="off")


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as state:
        yield state


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    return file.read()


def summariser_of(server: MessagesServer) -> Summariser:
    settings = ModelSettings(api_key=server.key, base_url=server.url, main="claude-sonnet-5-5", claude="off")
    return summariser_choose(settings, CONFIGURED)


def make(transcript: Transcript, summariser: Summariser, kind: KindSpec = FULL) -> Compaction:
    return compaction_make(transcript=transcript, kind=kind, parameters=Parameters(), summariser=summariser, now_ms=NOW)


def test_a_model_writes_the_summary(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY))
    compaction = make(transcript, summariser_of(server))
    assert (compaction.done, compaction.mechanical, compaction.model_name) == (True, False, "claude-sonnet-5-5")
    assert "To have it done." in compaction.summary
    assert compaction.report["usage"]["output"] == 5
    body = server.requests[0].json
    assert body["max_tokens"] == 20_000
    assert "tools" not in body
    assert "Question 5" in str(body["messages"])


def test_the_summary_is_kept_alone_without_the_words_around_it(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY))
    assert make(transcript, summariser_of(server)).summary == SUMMARY


def test_notes_for_the_system_role_go_into_reminders_where_the_model_refuses_that_role(
    server: MessagesServer, tmp_path: Path
) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-other")
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        note = {"type": "critical_system_reminder", "content": "Mind the datum"}
        file.row("attachment", attachment=note, rendered=[{"content": "Mind the datum"}], renderedRole="system")
        file.assistant("It is high. " * 60)
    transcript = file.read()
    for model, roles in (
        ("claude-sonnet-4-5", {"user", "assistant"}),
        ("claude-opus-5-5", {"user", "assistant", "system"}),
    ):
        settings = ModelSettings(api_key=server.key, base_url=server.url, main=model, claude="off")
        server.answer(Say(REPLY))
        make(transcript, summariser_choose(settings, CONFIGURED))
        messages = server.requests[-1].json["messages"]
        assert {message["role"] for message in messages} == roles
        assert "Mind the datum" in str(messages)


def test_what_is_too_long_is_asked_again_with_less(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(too_long(200_500), Say(REPLY))
    compaction = make(transcript, summariser_of(server))
    assert compaction.done
    assert "did not fit" in compaction.report["why"]
    first, second = (len(request.json["messages"]) for request in server.requests)
    assert second < first


def test_a_refusal_of_the_api_is_told_and_nothing_changes(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Fail(401))
    compaction = make(transcript, summariser_of(server))
    assert (compaction.done, compaction.report["failed"]) == (False, True)
    assert "key" in compaction.report["why"]
    assert compaction.tokens_after == compaction.tokens_before


def test_without_a_model_it_is_mechanical(transcript: Transcript) -> None:
    compaction = make(transcript, summariser_choose(NOBODY))
    assert (compaction.done, compaction.mechanical, compaction.model_name) == (True, True, MECHANICAL)


def test_a_model_that_is_not_there_is_refused() -> None:
    with pytest.raises(NoModelError, match="The configured model cannot be asked"):
        summariser_choose(NOBODY, CONFIGURED)
    with pytest.raises(NoModelError, match="claude-x cannot be asked"):
        summariser_choose(NOBODY, "claude-x")


def test_a_compaction_can_be_loaded_as_it_was_made(transcript: Transcript) -> None:
    compaction = make(transcript, summariser_choose(NOBODY))
    loaded = compaction_load(compaction_get(compaction.pk))
    assert len(loaded.before) == 12
    assert [message.kind for message in loaded.after if message.content] == ["summary", "answer"]
    assert loaded.stored.made is not None
    assert list(compactions_of(transcript)) == [compaction]


def test_what_came_later_is_not_in_it(tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    compaction = make(file.read(), summariser_choose(NOBODY))
    file.user("One more thing.")
    file.read()
    assert len(compaction_load(compaction_get(compaction.pk)).before) == 12


def test_a_run_that_made_one_finds_it(transcript: Transcript) -> None:
    compaction = make(transcript, summariser_choose(NOBODY))
    Compaction.objects.filter(pk=compaction.pk).update(run_id=4_711)
    assert compaction_get("4711") == compaction


def test_nobody_is_asked_unless_a_model_is_named() -> None:
    settings = ModelSettings(api_key="sk-test", claude="off")
    chosen = summariser_choose(settings)
    assert (chosen.name, chosen.summarise) == (MECHANICAL, None)
    assert "No model was named" in chosen.why


class Heard(SilentWatcher):
    def __init__(self) -> None:
        self.phases: list[str] = []

    def phase(self, what: str, /, *, total: int | None = None, unit: str = "") -> None:
        self.phases.append(what)


def test_whoever_watches_hears_what_goes_on(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(too_long(201_500), Fail(429, retry_after=0.01), Say(REPLY))
    watcher = Heard()
    settings = ModelSettings(api_key=server.key, base_url=server.url, claude="off", first_pause=0.001)
    summariser = summariser_choose(settings, "claude-x", watcher=watcher)
    made = compaction_make(
        transcript=transcript, kind=FULL, parameters=Parameters(), summariser=summariser, now_ms=NOW, watcher=watcher
    )
    assert watcher.phases == [
        "compacting",
        "asking claude-x",
        "too long by 1.5k tokens: the oldest 3 rounds are left out, asking again",
        "waiting 1.0s: rate limited (attempt 1 failed)",
        "asking claude-x again (attempt 2)",
        "writing",
    ]
    assert [request["problem"].partition(":")[0] for request in made.report["requests"]] == [
        "The conversation is too long for the model",
        "The API limits the rate of requests; it may be asked again in 1 second. Asked again after 1.0s.",
        "",
    ]
