"""Tokens are measured in the background, stored, and read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.runs.models import Run
from inspector.runs.services import run_execute
from sessions.context.selectors.contexts import load_contexts
from sessions.models import Request, Transcript, Weighing
from sessions.weights.engine import Basis, combine
from sessions.weights.selectors import prompt_tokens, transcripts_to_weigh, weigh, weight_table
from sessions.weights.services.weighing import transcript_weigh, weights_create
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db(transaction=True)

HEAD, RESULT, ANSWER, PROMPT = 12_000, 640, 45, 800


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def talk(file: Written, turns: int = 3) -> Transcript:
    """Each request counts what was sent, so that results weigh exactly RESULT."""
    prompt = HEAD
    for number in range(turns):
        if not number:
            file.user("ask")
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"file_path": "/a"}}
        file.assistant(call, usage={"input_tokens": prompt, "output_tokens": ANSWER})
        file.result(f"toolu_{number}", "word " * RESULT)
        prompt += ANSWER + RESULT
    file.assistant("done", usage={"input_tokens": prompt, "output_tokens": 5})
    return file.read()


def test_results_weigh_what_was_counted_between_two_requests(file: Written) -> None:
    transcript = talk(file)
    table = transcript_weigh(transcript=transcript)
    last = list(load_contexts(transcript))[-1]
    request = Request.objects.get(message_id=last.request)
    weights = weigh(last, table, prompt_tokens(request))
    results = [row for element, row in zip(last.elements, weights.messages, strict=True) if element.role == "user"][1:]
    assert [round(combine(row).tokens) for row in results] == [RESULT] * 3
    assert {combine(row).basis for row in results} == {Basis.MEASURED}
    assert weights.size.whole == (request.input, Basis.MEASURED)


def test_a_session_without_counts_is_estimated_by_the_measured_ones(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-dev-tidewatch"
    silent = Written(project=project, session="11111111-0000-4000-8000-000000000001")
    silent.user("word " * RESULT)
    silent.assistant("done", usage={"input_tokens": 0, "output_tokens": 0})
    transcript = silent.read()
    public = weigh(list(load_contexts(transcript))[-1], transcript_weigh(transcript=transcript)).size
    for number in range(3):
        talk_of_prompts(Written(project=project, session=f"22222222-0000-4000-8000-00000000000{number}"))
    due = transcripts_to_weigh()
    assert transcript.pk not in due
    for pk in due:
        transcript_weigh(transcript=Transcript.objects.get(pk=pk))
    calibrated = weigh(list(load_contexts(transcript))[-1], transcript_weigh(transcript=transcript)).size
    assert public.messages.basis is calibrated.messages.basis is Basis.ESTIMATED
    assert abs(calibrated.messages.tokens - PROMPT) < 0.8 * abs(public.messages.tokens - PROMPT)
    assert weight_table(transcript).factors


def talk_of_prompts(file: Written) -> Transcript:
    """Each prompt has PROMPT tokens."""
    prompt = HEAD
    for _ in range(12):
        file.user("word " * RESULT)
        prompt += PROMPT
        file.assistant("done", usage={"input_tokens": prompt, "output_tokens": 5})
        prompt += 5
    return file.read()


def test_what_is_learned_of_a_model_is_kept_under_the_name_that_its_requests_have(file: Written) -> None:
    prompt = HEAD
    for number in range(4):
        file.user("ask")
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {}}
        file.assistant(call, usage={"input_tokens": prompt, "output_tokens": ANSWER}, model="claude-\0-5")
        file.result(f"toolu_{number}", "word " * RESULT)
        prompt += ANSWER + RESULT
    transcript = file.read()
    transcript_weigh(transcript=transcript)
    names = {*Weighing.objects.get().learned, *dict(weight_table(transcript).factors)}
    assert names <= set(Request.objects.values_list("model", flat=True))


def test_what_is_stored_is_read_again_and_not_measured_twice(file: Written) -> None:
    transcript = talk(file)
    assert transcripts_to_weigh() == [transcript.pk]
    table = transcript_weigh(transcript=transcript)
    stored = weight_table(transcript)
    assert [change.key for change in stored.changes] == [change.key for change in table.changes]
    assert [change.weight.basis for change in stored.changes] == [change.weight.basis for change in table.changes]
    assert [change.weight.tokens for change in stored.changes] == pytest.approx(
        [change.weight.tokens for change in table.changes]
    )
    assert transcripts_to_weigh() == []


def test_a_file_that_grows_a_little_is_measured_again_only_with_everything(file: Written) -> None:
    transcript = talk(file, turns=20)
    transcript_weigh(transcript=transcript)
    file.user("more")
    transcript = file.read()
    assert transcripts_to_weigh([transcript.pk], growing=True) == []
    assert transcripts_to_weigh() == [transcript.pk]


def test_a_run_measures_all_that_is_due_and_a_second_one_has_nothing_to_do(file: Written) -> None:
    transcript = talk(file)
    run = weights_create()
    assert run is not None
    assert run_execute(run_id=run.pk)
    run = Run.objects.get(pk=run.pk)
    assert (run.status, run.result["summary"]) == ("completed", "Measured 1 transcript.")
    assert Weighing.objects.get().transcript_id == transcript.pk
    assert weights_create() is None


def test_rules_that_have_changed_count_as_not_measured(file: Written) -> None:
    transcript = talk(file)
    transcript_weigh(transcript=transcript)
    Weighing.objects.update(rules=0)
    assert weight_table(transcript).requests == ()
    assert transcripts_to_weigh() == [transcript.pk]
