from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.plugin import DjangoDbBlocker

from sessions.archive.engine.frames import BLOCK_SIZE
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context, Log, context_at, contexts
from sessions.context.selectors.contexts import (
    load_context,
    load_contexts,
    load_left_out,
    point_after,
    point_next,
    point_of_request,
)
from sessions.models import Request, Transcript
from sessions.timeline.selectors.entries import find_entry
from tests.importing import imported
from tests.samples import SHARED
from tests.sessions.writing import named
from tests.sessions.written import Written

DEMO = Path(__file__).resolve().parents[4] / "sessions" / "demo" / "projects"
RECORDINGS = SHARED / "realclient"
QUERIES = 8
"""What a context takes out of the archive, whatever the session went through."""


@pytest.fixture(scope="module", autouse=True)
def archive(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    paths = [DEMO, RECORDINGS] if RECORDINGS.is_dir() else [DEMO]
    with imported(django_db_blocker, *paths):
        yield


def transcripts() -> list[Transcript]:
    kinds = (Transcript.Kind.MAIN, Transcript.Kind.AGENT)
    return list(Transcript.objects.filter(kind__in=kinds).select_related("source"))


def log_of(transcript: Transcript) -> Log:
    return Log(Path(transcript.source.path).read_bytes(), agent=transcript.kind == Transcript.Kind.AGENT)


def facts(context: Context) -> tuple[object, ...]:
    array = [element.to_api() for element in context.elements]
    return array, context.exactness, context.tokens, context.positions, context.start, context.setup


@pytest.mark.django_db
def test_all_contexts_of_a_session_are_those_of_its_file() -> None:
    for transcript in transcripts():
        ours = [(context.request, facts(context)) for context in load_contexts(transcript)]
        assert ours == [(context.request, facts(context)) for context in contexts(log_of(transcript))]


@pytest.mark.django_db
def test_one_context_is_the_same_as_in_the_walk_over_all() -> None:
    for transcript in transcripts():
        walked = {context.request: facts(context) for context in contexts(log_of(transcript))}
        for request in Request.objects.filter(transcript=transcript, message_id__in=walked):
            _, point = point_of_request(transcript, request.message_id)
            assert facts(load_context(transcript, point)) == walked[request.message_id], request.message_id


@pytest.mark.django_db
def test_a_context_takes_few_queries_whatever_the_session_went_through() -> None:
    for transcript in transcripts():
        for request in Request.objects.filter(transcript=transcript).order_by("position"):
            with CaptureQueriesContext(connection) as queries:
                _, point = point_of_request(transcript, request.message_id)
                load_context(transcript, point)
            assert len(queries) <= QUERIES, request.message_id


@pytest.mark.django_db
def test_what_is_sent_next_is_that_of_the_file() -> None:
    for transcript in transcripts():
        ours = load_context(transcript, point_next(transcript))
        assert facts(ours)[:3] == facts(context_at(log_of(transcript)))[:3], transcript.public_id


@pytest.mark.django_db
def test_every_entry_before_a_request_is_sent_or_has_a_reason() -> None:
    for transcript in transcripts():
        context = load_context(transcript, point_next(transcript))
        left_out = {item.position for item, _ in load_left_out(transcript, context)}
        assert left_out | context.positions == set(range(transcript.entries))


@pytest.mark.django_db
def test_an_entry_leads_to_the_context_right_after_it(tmp_path: Path) -> None:
    file = Written(
        project=tmp_path / "projects" / "-home-dev-tidewatch", session="77777777-2222-4333-8444-555555555555"
    )
    file.turns(2)
    transcript = file.read()
    uuid = str(file.records[1]["uuid"])
    _, entry = find_entry(transcript, uuid)
    context = load_context(transcript, point_after(entry))
    assert [element.role for element in context.elements] == ["user", "assistant"]


@pytest.mark.django_db
def test_only_what_the_context_is_made_of_is_decoded(tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-harbour", session="88888888-2222-4333-8444-555555555555")
    for number in range(400):
        file.user(f"{number} " + "words " * 1000)
        file.assistant("Yes.")
    file.compacts("They counted.")
    file.turns(1)
    transcript = file.read()
    reader = Reader(transcript.source_id)
    load_context(transcript, point_next(transcript), reader)
    assert transcript.source.size > 2_000_000
    assert reader.decoded <= BLOCK_SIZE


@pytest.mark.django_db
def test_a_session_that_went_back_behind_boundaries_has_the_contexts_of_its_file(tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-atlas", session="99999999-2222-4333-8444-555555555555")
    forks: list[str] = []
    for number in range(3):
        file.user(f"Please look at harbour {number}")
        file.call("Bash", f"toolu_{number}", command="tide")
        file.result(f"toolu_{number}", "high water")
        file.assistant("It is high.")
        forks.append(file.leaf or "")
        kept = file.user("And the low water?")
        metadata = {"trigger": "auto", "preservedMessages": {"anchorUuid": f"summary-{number}", "uuids": [kept]}}
        file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None)
        file.user(f"In short, {number}.", uuid=f"summary-{number}", isCompactSummary=True)
    for back in (*forks, "not-in-this-file"):
        file.user("Rather this", parent=back)
        file.assistant("As you like.")
    transcript = file.read()
    walked = {context.request: facts(context) for context in contexts(log_of(transcript))}
    assert len(walked) == 10
    for message_id, expected in walked.items():
        _, point = point_of_request(transcript, message_id)
        assert facts(load_context(transcript, point)) == expected, message_id


@pytest.mark.django_db
def test_a_session_that_was_written_out_of_order_has_the_contexts_of_its_file(tmp_path: Path) -> None:
    """The prompt after its answer, and a summary after the answer that was made of it."""
    file = Written(project=tmp_path / "projects" / "-home-dev-kelp", session="66666666-2222-4333-8444-555555555555")
    file.user("Please look at the harbour")
    file.call("Bash", "toolu_late", command="tide")
    before = file.result("toolu_late", "high water")
    metadata = {"trigger": "auto", "preTokens": 1}
    boundary = file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None)
    answer = file.assistant("It is high.", parent=before)
    file.user("In short.", parent=boundary, isCompactSummary=True)
    file.user("And the low water?", parent=answer)
    file.assistant("At six.")
    file.records[0:2] = reversed(file.records[0:2])
    transcript = file.read()
    walked = list(contexts(log_of(transcript)))
    assert [len(context.elements) for context in walked] == [1, 1, 3]
    for context in walked:
        _, point = point_of_request(transcript, context.request)
        assert facts(load_context(transcript, point)) == facts(context)


@pytest.mark.django_db
def test_an_answer_before_its_result_still_follows_a_compaction_in_its_turn(tmp_path: Path) -> None:
    """The result that an answer hangs on is written after it, and the one that the turn goes on from stands before the
    boundary: both have to be found."""
    file = Written(project=tmp_path / "projects" / "-home-dev-kelp", session="77777777-2222-4333-8444-555555555555")
    file.user("Please look at the harbour")
    file.call("Bash", "toolu_1", command="tide")
    before = file.result("toolu_1", "high water")
    boundary = file.row("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"}, parent=None)
    file.leaf = before
    call = file.call("Bash", "toolu_2", command="wind")
    file.user("In short.", parent=boundary, isCompactSummary=True)
    late = "00000000-0000-4000-8000-0000000001a7"
    file.assistant("It blows.", message="msg_late", parent=late)
    file.result("toolu_2", "north-west", parent=call, uuid=late)
    transcript = file.read()
    walked = list(contexts(log_of(transcript)))
    assert [len(context.elements) for context in walked] == [1, 1, 3]
    for context in walked:
        _, point = point_of_request(transcript, context.request)
        assert facts(load_context(transcript, point)) == facts(context)


@pytest.mark.django_db
def test_a_fork_of_what_was_summarised_twice_has_the_contexts_of_its_file(tmp_path: Path) -> None:
    """It writes what was kept behind the boundaries, each with its own summary behind that."""
    file = Written(project=tmp_path / "projects" / "-home-dev-atlas", session="99999999-2222-4333-8444-666666666666")
    first = {"preservedSegment": {"headUuid": named("one"), "anchorUuid": named("b1"), "tailUuid": named("two")}}
    second = {"preservedSegment": {"headUuid": named("b1"), "anchorUuid": named("b2"), "tailUuid": named("three")}}
    summary = {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    file.row("system", uuid=named("b2"), parent=None, subtype="compact_boundary", compactMetadata=second)
    file.row("system", uuid=named("b1"), parent=None, subtype="compact_boundary", compactMetadata=first)
    file.user("One", uuid=named("one"))
    file.assistant("Two", uuid=named("two"))
    file.user("In short.", **summary)
    file.assistant("Three", uuid=named("three"))
    file.user("Shorter.", **summary)
    file.user("More")
    file.assistant("Yes.", message="msg_last")
    transcript = file.read()
    whole = list(load_contexts(transcript))[-1]
    assert [piece.block["text"].strip() for element in whole.elements for piece in element.pieces] == [
        *("One", "Two", "In short.", "Three", "Shorter.", "More")
    ]
    result, point = point_of_request(transcript, "msg_last")
    assert facts(load_context(result, point)) == facts(whole)
