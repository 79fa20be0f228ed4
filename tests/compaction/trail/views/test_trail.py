from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compaction.kinds.engine import Parameters
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from compaction.trail.selectors import trail as selector
from compaction.trail.selectors.trail import trail_of
from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from sessions.imports.services.sync import sync
from sessions.models import Transcript
from sessions.weights.services.weighing import transcript_weigh
from tests.pages import fetch
from tests.samples import SHARED, needs_samples
from tests.sessions.hostile import PAYLOAD
from tests.sessions.writing import START
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def page(client: Client, transcript: Transcript, query: str = "") -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/compactions/{query}")


def flat(html: str) -> str:
    """The words that a person reads."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def eventful(file: Written) -> Transcript:
    """One of everything that a client records."""
    first = file.user("Please chart the tides of Husum")
    file.assistant("Charted.")
    file.user("Never round them, and always say the datum")
    file.assistant("Understood.")
    file.row("system", subtype="snip_boundary", snipMetadata={"removedUuids": [first]})
    cleared = {"trigger": "auto", "preTokens": 90_000, "tokensSaved": 5_000, "compactedToolIds": ["toolu_1"]}
    file.row("system", subtype="microcompact_boundary", microcompactMetadata=cleared)
    file.compacts('1. All User Messages:\n   - "Never round them, and always say the datum"')
    file.assistant("On we go.")
    kept = [file.user("And the moon?"), file.assistant("It is full.")]
    file.state("marble-origami-commit", summaryContent="A span.", firstArchivedUuid=kept[1], lastArchivedUuid=kept[1])
    metadata = {
        "trigger": "manual",
        "preTokens": 50_000,
        "durationMs": 42_000,
        "preservedMessages": {"anchorUuid": "summary-2", "uuids": kept[:1]},
    }
    file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None, logicalParentUuid=kept[1])
    partly = {"messagesSummarized": 3, "direction": "up_to"}
    file.user("1. Current Work:\n   Tides.", uuid="summary-2", isCompactSummary=True, summarizeMetadata=partly)
    file.assistant("The moon, then.")
    return file.read()


def test_everything_that_was_recorded_is_listed_in_order(client: Client, file: Written) -> None:
    transcript = eventful(file)
    html = page(client, transcript)
    chips = re.findall(r'<span class="chip">([^<]+)</span>', html)
    assert chips == ["snipped", "cleared", "automatic", "collapsed", "partial, up to a message"]
    words = flat(html)
    assert "2 compactions and 3 smaller edits, the earliest first" in words
    assert "Compacted automatically at ~167.2k tokens. The conversation became a summary of ~" in words
    assert "the client names the last record as kept" in words
    assert "took 42s" in words
    boundary = file.records[6]["uuid"]
    for part in (f"compactions/{boundary}/", f"compactions/{boundary}/summary/", f"entries/{boundary}/"):
        assert f'href="/sessions/{transcript.public_id}/{part}"' in html


def test_each_number_leads_to_its_record(client: Client, file: Written) -> None:
    trail = trail_of(eventful(file))
    snip, clearing, first, collapse, second = trail.steps
    assert (snip.before, snip.after, collapse.before) == (None, None, None)
    assert clearing.before is not None
    assert clearing.after is not None
    assert (clearing.before.tokens, clearing.after.tokens) == (90_000, 85_000)
    assert first.before is not None
    assert first.after is not None
    assert (first.before.tokens, first.before.position) == (167_200, 6)
    assert (first.after.position, "the API counted it" in first.after.source) == (8, True)
    assert second.after is not None
    assert second.after.position == 14


def test_it_tells_what_is_left_of_what_the_user_wrote(client: Client, file: Written) -> None:
    first, second = (step.quotes for step in trail_of(eventful(file)).steps if step.event.is_compaction)
    assert first is not None
    assert second is not None
    assert (first.total, first.kept, first.quoted, first.gone) == (2, 0, 1, 1)
    assert (second.total, second.kept, second.quoted, second.gone) == (3, 1, 0, 2)
    assert "0 kept · 1 quoted · 1 gone" in page(client, Transcript.objects.get())


def test_what_an_old_record_does_not_say_is_unknown(client: Client, file: Written) -> None:
    file.user("hello")
    file.row("system", subtype="compact_boundary", content="Conversation compacted", parent=None)
    words = flat(page(client, file.read()))
    assert "Compacted (trigger unknown), size before unknown." in words
    assert "unknown → unknown" in words


def test_a_summary_of_a_version_without_boundaries_is_a_compaction(client: Client, file: Written) -> None:
    file.turns(1)
    file.row("user", message={"role": "user", "content": "In short."}, isCompactSummary=True, parent=None)
    file.assistant("Yes.")
    (step,) = trail_of(file.read()).steps
    assert step.event.is_compaction
    assert step.event.text == "In short."
    assert step.before is not None
    assert step.after is not None
    assert step.before.source == "the API counted it in the request before"


def test_many_take_no_more_queries_than_few_and_are_paged(client: Client, file: Written) -> None:
    file.turns(1)
    file.compacts("First.")
    file.turns(1)
    few = file.read()
    with CaptureQueriesContext(connection) as queries:
        page(client, few)
    most = len(queries)
    assert most <= 15
    for number in range(60):
        file.turns(1)
        file.compacts(f"Summary {number}. " + "Long. " * 2_000)
    file.clock = START
    many = file.read()
    with CaptureQueriesContext(connection) as queries:
        html = page(client, many)
    assert len(queries) <= most
    assert len(re.findall(r'<tr class="item"', html)) == 11
    assert len(html.encode()) < 100_000
    assert "Summary by section" in page(client, many, "?page=1")
    assert len(re.findall(r'<tr class="item"', page(client, many, "?page=1"))) == selector.PAGE_SIZE


def test_the_words_of_a_huge_session_are_not_all_looked_through(
    client: Client, file: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selector, "MOST_BLOCKS", 0)
    transcript = eventful(file)
    trail = trail_of(transcript)
    assert [(step.quotes.kept, step.quotes.quoted) for step in trail.steps if step.quotes] == [(0, None), (1, None)]
    assert "1 kept, others unknown" in flat(page(client, transcript))


def test_a_boundary_on_a_branch_that_was_left_says_so(client: Client, file: Written) -> None:
    start = file.user("Begin")
    fork = file.assistant("Begun.")
    file.user("The wrong way")
    file.assistant("Going wrong.")
    file.compacts("Went wrong.")
    file.assistant("Still wrong.")
    file.leaf = fork
    file.user("The right way")
    file.assistant("Going right.")
    assert start
    html = page(client, file.read())
    assert "on a branch that was left" in html


def test_what_was_made_here_stands_below_with_its_run(client: Client, file: Written) -> None:
    for number in range(6):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    transcript = file.read()
    nobody = summariser_choose(ModelSettings(claude="off"))
    run = Run.objects.create(kind="compaction", created_at=START, status=Run.Status.COMPLETED)
    made = compaction_make(
        transcript=transcript, kind=FULL, parameters=Parameters(), summariser=nobody, now_ms=START, run_id=run.pk
    )
    of = {"transcript": transcript.pk, "kind": "full"}
    Run.objects.create(kind="compaction", created_at=START, status="failed", error="Nobody answered.", parameters=of)
    Run.objects.create(kind="compaction", created_at=START, status="queued", parameters=of)
    Run.objects.create(kind="compaction", created_at=START, status="queued", parameters={"transcript": -1})
    html = page(client, transcript)
    assert html.count('<article id="run-') == 2
    assert "Nobody answered." in html
    assert made.report["said"] == {"total": 6, "kept": 0, "quoted": 6, "gone": 0}
    assert "0 kept · 6 quoted · 0 gone" in flat(html)
    root = f"/sessions/{transcript.public_id}"
    for part in (f"{root}/compactions/run-{run.pk}/", f"{root}/compactions/run-{run.pk}/summary/", f"/runs/{run.pk}/"):
        assert f'href="{part}"' in html
    assert "The trail" not in html


def test_a_session_that_was_never_compacted_is_told_what_this_is(client: Client, file: Written) -> None:
    file.turns(1)
    transcript = file.read()
    html = page(client, transcript)
    assert "This session was never compacted" in html
    assert f'href="/sessions/{transcript.public_id}/compact/"' in html


def test_sub_agents_have_a_trail_of_their_own(client: Client, file: Written) -> None:
    file.turns(1)
    agent = Written(project=file.project, agent="a17")
    agent.user("Look at the moorings")
    agent.assistant("There are nine.")
    agent.compacts("Nine moorings.")
    agent.assistant("On we go.")
    agent.save(agent.path.parent, agent.path.stem)
    transcript = file.read()
    assert 'href="/sessions/agent-a17/compactions/"' in page(client, transcript)
    assert "Compacted automatically at ~167.2k" in page(client, Transcript.objects.get(agent_id="a17"))


def test_nothing_in_a_record_is_run(client: Client, file: Written) -> None:
    file.user(PAYLOAD)
    metadata = {"trigger": PAYLOAD, "preTokens": PAYLOAD, "durationMs": [PAYLOAD], "preservedMessages": PAYLOAD}
    file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None, logicalParentUuid=PAYLOAD)
    file.user(f"1. {PAYLOAD}:\n   - {PAYLOAD}\n   > {PAYLOAD}\n\n```\n{PAYLOAD}\n```", isCompactSummary=True)
    transcript = file.read()
    boundary = file.records[1]["uuid"]
    for html in (page(client, transcript), page(client, transcript, f"{boundary}/summary/")):
        assert PAYLOAD not in html
        assert "<img" not in html


def boundary(file: Written, metadata: dict[str, Any]) -> None:
    file.row("system", subtype="compact_boundary", compactMetadata=metadata, parent=None)


def started(html: str) -> list[str]:
    return re.findall(r"Started: ([a-z ]+)\.", flat(html))


def test_what_started_each_compaction_is_told(client: Client, file: Written) -> None:
    file.user("Chart the tides")
    file.assistant("Charted.")
    file.compacts("Tides.")
    file.assistant("On we go.")
    file.row(
        "system", subtype="compact_boundary", compactMetadata={"trigger": "manual", "preTokens": 9_000}, parent=None
    )
    file.user("Tides, by hand.", isCompactSummary=True)
    file.assistant("Further.")
    file.user("And the moon?")
    file.assistant("Prompt is too long", isApiErrorMessage=True, usage=None)
    file.row(
        "system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 40_600}, parent=None
    )
    file.user("Tides and the moon.", isCompactSummary=True)
    file.assistant("It is full.")
    file.row(
        "system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 40_600}, parent=None
    )
    file.user("The moon.", isCompactSummary=True)
    html = page(client, file.read())
    assert started(html) == ["threshold", "asked for", "after an error", "unknown"]
    words = flat(html)
    assert "The API had refused the request before it: Prompt is too long" in words
    assert "100% of the 167.0k where auto-compact starts in a window of 200.0k" in words
    assert "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE" in words
    assert "1 answer since the compaction before" in words


def test_the_threshold_of_a_session_is_one_on_all_of_its_pages(client: Client, file: Written) -> None:
    """The model takes a million tokens, but the client compacted where one with 200,000 does."""
    usage = {"input_tokens": 166_000, "output_tokens": 1_000}
    file.user("Chart the tides")
    file.assistant("Charted.", model="claude-opus-4-6", usage=usage)
    file.compacts("Tides.")
    file.assistant("On we go.", model="claude-opus-4-6", usage={"input_tokens": 30_000, "output_tokens": 10})
    transcript = file.read()
    before = flat(page(client, transcript))
    transcript_weigh(transcript=transcript)
    words = flat(page(client, transcript))
    for trail in (before, words):
        assert "of the 167.0k where auto-compact starts in a window of 200.0k" in trail
    context = flat(client.get(f"/sessions/{transcript.public_id}/context/").content.decode())
    assert "auto-compact at 167.0k" in context
    assert "window 200.0k as its compactions show" in context
    forecast = flat(client.get(f"/sessions/{transcript.public_id}/compact/?kind=auto&forecast=1").content.decode())
    assert "threshold of 167,000 (of the usual window, as its compactions show)" in forecast


@needs_samples
@pytest.mark.parametrize(
    ("recording", "causes", "loops"),
    [
        # A lowered threshold: the client compacted before every request, and freed nothing.
        ("autocompact_pct-v2076", ["unknown"] * 15, [15]),
        ("autocompact_win", ["unknown"], []),
        # A request that was refused is in the client's log, and has no answer.
        ("errors", ["after an error"] * 2, []),
    ],
)
def test_recordings_of_the_client_tell_what_started_a_compaction(
    recording: str, causes: list[str], loops: list[int]
) -> None:
    sync([SHARED / "realclient" / recording / "projects"], workers=1)
    session = Transcript.objects.filter(kind=Transcript.Kind.MAIN).order_by("-compactions").first()
    assert session is not None
    trail = trail_of(session)
    assert [step.start.cause.value for step in trail.steps if step.start] == causes
    assert [len(loop.links) for loop in trail.loops] == loops


def test_auto_is_told_request_by_request(client: Client, file: Written) -> None:
    for number in range(5):
        file.user(f"Question {number}: " + "how high is the water? " * 200)
        file.assistant("It is high. " * 600)
    transcript = file.read()
    html = page(client, transcript)
    assert f'href="/sessions/{transcript.public_id}/compactions/replay/"' in html
    words = flat(page(client, transcript, "replay/?percent=1"))
    assert "Auto-compact The context has" in words
    assert "percent has to be a number" in flat(page(client, transcript, "replay/?percent=many"))
