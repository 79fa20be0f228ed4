"""Compactions as runs, with a server that speaks the Messages API: what a person sees of them, whatever happens."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings

from compaction.hooks.selectors import hooks_of
from compaction.kinds.selectors import compaction_load
from compaction.models import Compaction
from inspector.run_pages.selectors import run_detail
from inspector.runs.models import Run
from inspector.runs.services import run_execute, run_kill
from inspector.web.clock import now_ms
from sessions.models import Transcript
from tests.asking import models
from tests.compaction.logged import Logged
from tests.compaction.mechanisms.engine.summarising import REPLY
from tests.inspector.agents.server import Call, Fail, Hang, MessagesServer, Say, too_long
from tests.serving import fair, wait_until
from tests.sessions.writing import MODEL

# The pulse of a run has a connection of its own, which has to see it.
pytestmark = pytest.mark.django_db(transaction=True)
BILLED = {"input_tokens": 1_000_000, "cache_read_input_tokens": 2_000, "output_tokens": 500}


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Logged(project=tmp_path / "projects" / "-home-dev-tidewatch").talk().read()


def queued(transcript: Transcript, **parameters: Any) -> Run:
    request = {"transcript": transcript.pk, "kind": "full", "model": MODEL, **parameters}
    return Run.objects.create(kind="compaction", parameters=request, created_at=now_ms())


def executed(transcript: Transcript, **parameters: Any) -> Run:
    run = queued(transcript, **parameters)
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def turn_titles(run: Run) -> list[str]:
    return [turn["text"].partition("\n")[0] for turn in run.turns]


def test_a_run_tells_who_was_asked_how_and_for_how_much(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY, usage=BILLED))
    run = executed(transcript)
    assert run.status == "completed"
    assert turn_titles(run) == [f"Asked {MODEL} as a fork."]
    assert "To have it done." in run.turns[0]["text"]
    assert (run.model, run.input_tokens, run.cache_read_tokens, run.output_tokens) == (MODEL, 1_000_000, 2_000, 500)
    assert run.cost is not None
    assert run.cost > 1
    assert run.result["links"][0] == ["Before and after", f"/sessions/{transcript.public_id}/compactions/run-{run.pk}/"]
    assert run.result["requests"][0].startswith(f"Asked {MODEL} as a fork: it wrote the summary. 1.0M tokens for $")
    assert run.result["prompt_cache"].startswith("The client has logged what it sent")


def test_the_fallback_chain_is_a_turn_each_and_in_the_result(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say("", calls=[Call("Read", {})], usage=BILLED), too_long(200_100), Fail(529), Say(REPLY))
    run = executed(transcript)
    assert run.status == "completed"
    assert turn_titles(run) == [
        f"Asked {MODEL} as a fork: the fork called tools (Read) instead of writing.",
        f"Asked {MODEL}: The conversation is too long for the model: 200,100 tokens, and 200,000 fit.",
        f"Asked {MODEL}: The API is overloaded or has an error of its own. Asked again after 1.0s.",
        f"Asked {MODEL}.",
    ]
    assert run.turns[0]["tools"] == {"Read": 1}
    assert len(run.result["requests"]) == 4
    assert run.input_tokens == 1_000_010
    assert "did not fit" in run.summary


def test_what_a_model_without_a_price_costs_stays_unknown(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(Say(REPLY, usage=BILLED))
    run = executed(transcript, model="claude-unheard-of-9")
    assert (run.status, run.cost, run.output_tokens) == ("completed", None, 500)
    assert "prompt cache cannot be shared" in run.result["prompt_cache"]


KEY = "The API does not accept the key, or the key may not do this."
CAP = "The account has reached its spending or usage limit"
BUSY = "The API is overloaded or has an error of its own."
FULL = "The conversation is too long to be summarised: even its last round alone does not fit."
ERRORS: list[tuple[str, list[Any], str, int]] = [
    ("401", [Fail(401)], KEY, 1),
    ("403", [Fail(403)], KEY, 1),
    ("429, later", [Fail(429, retry_after=1000)], "it may be asked again in 1,000 seconds.", 1),
    ("429, at once", [Fail(429, retry_after=0.001)] * 5, "it may be asked again in 1 second.", 5),
    ("429, for good", [Fail(429)], CAP, 1),
    ("402", [Fail(402, kind="billing_error")], CAP, 1),
    ("500", [Fail(500)] * 5, BUSY, 5),
    ("529", [Fail(529)] * 5, BUSY, 5),
    ("502 of a gateway", [Fail(502, body=b"<html>")] * 5, BUSY, 5),
    ("400", [Fail(400, "no")] * 2, "The API does not accept the request: no.", 2),
    ("404", [Fail(404, "model: x")] * 2, "The API does not know the model or the address: model: x.", 2),
    ("a connection that is closed", [Hang()] * 5, "The API cannot be reached.", 5),
    ("a cut", [Say(REPLY, cut_after=4)] * 5, "The answer broke off in the middle.", 5),
    ("no JSON", [Say(REPLY, garbage_after=4)] * 5, "The answer is not in the form of the API.", 5),
    ("an error amid", [Say(REPLY, error_after=4)] * 5, "The API broke the answer off with an error of its own.", 5),
    ("a refusal", [Say("", stop_reason="refusal")] * 2, "The model refused to answer.", 2),
    ("no credit", [Fail(400, "Your credit balance is too low to access the API.")], CAP, 1),
    (
        "half an answer",
        [Say(REPLY[:60], stop_reason="max_tokens")] * 2,
        "the model reached the limit of its output before the end of the summary.",
        2,
    ),
    ("nothing", [Say("")] * 2, "the model gave no text.", 2),
    ("too long by far", [too_long(250_000)], FULL, 1),
    ("too long by nobody knows", [too_long()] * 3, FULL, 3),
    ("a body too large", [Fail(413)] * 3, FULL, 3),
]


def test_every_error_of_the_api_ends_as_a_sentence_and_nothing_is_lost(
    server: MessagesServer, transcript: Transcript
) -> None:
    for name, answers, sentence, requests in ERRORS:
        fails(server, transcript, name, answers, sentence, requests)


def test_a_silent_model_ends_the_run_with_a_sentence(server: MessagesServer, transcript: Transcript) -> None:
    with override_settings(MODELS=replace(models(server), idle_timeout=0.2)):
        fails(server, transcript, "silence", [Hang(2)] * 5, "The model sent nothing for 0.2 seconds.", 5)


def fails(
    server: MessagesServer, transcript: Transcript, name: str, answers: list[Any], sentence: str, requests: int
) -> None:
    server.requests.clear()
    server.answer(*answers)
    run = executed(transcript)
    assert run.status == "failed", name
    assert sentence in run.error, name
    assert run.error.endswith("."), name
    assert len(server.requests) == requests == run.turn_count == len(run.result["requests"]), name
    assert run.result["links"] == [["The session", f"/sessions/{transcript.public_id}/"]], name
    kept = Compaction.objects.get(run_id=run.pk)
    assert (kept.done, kept.tokens_after) == (False, kept.tokens_before), name
    assert len(kept.report["requests"]) == requests, name


def test_what_failed_attempts_were_billed_is_spent(server: MessagesServer, transcript: Transcript) -> None:
    server.answer(*[Say(REPLY, usage=BILLED, cut_after=5)] * 5)
    run = executed(transcript)
    assert (run.status, run.input_tokens, run.output_tokens) == ("failed", 5_000_000, 5)
    assert run.cost is not None
    assert all("the answer broke off" in turn["text"].lower() for turn in run.turns)


def test_the_circuit_breaker_is_told_and_opens(server: MessagesServer, transcript: Transcript) -> None:
    server.otherwise = Fail(401)
    parameters = {"kind": "auto", "settings": {"percent": "0.1"}}
    for number in (1, 2, 3):
        run = executed(transcript, **parameters)
        assert run.status == "failed"
        assert f"That is failure {number} in a row; after 3 it is not tried any more." in run.error
        assert run.result["failures_in_a_row"] == number
    run = executed(transcript, **parameters)
    assert run.status == "completed"
    assert "It failed 3 times in a row and is not tried again. Ask for a full compaction" in run.summary
    assert len(server.requests) == 3
    server.otherwise = Say(REPLY)
    assert executed(transcript).status == "completed"
    assert executed(transcript, **parameters).status == "completed"
    assert len(server.requests) == 5


def test_spans_are_counted_and_one_refused_key_ends_it(server: MessagesServer, tmp_path: Path) -> None:
    file = Logged(project=tmp_path / "projects" / "-home-dev-tidewatch")
    file.user("Begin")
    for number in range(40):
        file.call("Read", f"toolu_{number}", file_path=f"/tides/{number}.md")
        file.result(f"toolu_{number}", f"tide {number} " * 900)
        file.assistant(f"Tide {number} is read.")
        file.user(f"And tide {number + 1}?")
    transcript = file.read()
    server.otherwise = Say(REPLY)
    run = executed(transcript, kind="collapse")
    assert run.status == "completed"
    assert run.turn_count == len(server.requests) > 1
    assert turn_titles(run)[0] == f"Asked {MODEL} about span 1 of {run.turn_count}."
    assert (run.phase, run.total) == ("writing", None)
    server.requests.clear()
    server.otherwise = Fail(401)
    run = executed(transcript, kind="collapse")
    assert (run.status, len(server.requests)) == ("failed", 1)
    assert run.error == "No span was summed up: The API does not accept the key, or the key may not do this."


def test_the_answer_is_seen_as_it_arrives_and_a_kill_ends_it_within_two_seconds(
    server: MessagesServer, transcript: Transcript
) -> None:
    server.answer(Say(REPLY, usage=BILLED, pause=0.3))
    run = queued(transcript)
    thread = threading.Thread(target=work, args=(run.pk,))
    thread.start()
    wait_until(lambda: Run.objects.get(pk=run.pk).done > 0)
    output = run_detail(run.pk, now_ms())
    assert output is not None
    assert output.run.phase == f"asking {MODEL} as a fork"
    assert output.card.progress.endswith("characters")
    assert output.turns[0].text.startswith(f"Asked {MODEL} as a fork …\n\n<analysis>")
    began = time.monotonic()
    assert run_kill(run_id=run.pk)
    thread.join(10)
    assert time.monotonic() - began < fair(2)
    run.refresh_from_db()
    assert (run.status, run.input_tokens) == ("killed", 1_000_000)
    assert turn_titles(run) == [f"Asked {MODEL} as a fork: It was stopped."]
    assert not Compaction.objects.exists()


def work(run_id: int) -> None:
    try:
        run_execute(run_id=run_id)
    finally:
        connection.close()


def test_hooks_run_only_where_asked_for_and_all_that_they_say_is_shown(
    server: MessagesServer, transcript: Transcript, tmp_path: Path
) -> None:
    commands = {"PreCompact": "echo Keep the tides", "SessionStart": "echo No force push", "PostCompact": "echo Seen"}
    groups = {event: [{"hooks": [{"type": "command", "command": command}]}] for event, command in commands.items()}
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": groups}))
    server.otherwise = Say(REPLY)
    with override_settings(CLAUDE_CONFIG_DIR=tmp_path):
        assert "hooks" not in executed(transcript).result
        run = executed(transcript, hooks="user", hooks_seen=hooks_of(transcript).fingerprint)
    assert [text.rpartition(": ")[2] for text in turn_titles(run)] == [
        "echo Keep the tides",
        f"Asked {MODEL} as a fork.",
        "echo No force push",
        "echo Seen",
    ]
    assert "Keep the tides" in server.requests[-1].json["messages"][-1]["content"][0]["text"]
    assert len(run.result["hooks"]) == 3
    made = Compaction.objects.get(run_id=run.pk)
    assert [hook["output"] for hook in made.report["hooks"]] == ["Keep the tides\n", "No force push\n", "Seen\n"]
    assert "SessionStart:compact hook success: No force push" in str(compaction_load(made).after)


def test_a_hook_that_blocks_ends_the_run_with_its_words_before_anybody_is_asked(
    server: MessagesServer, transcript: Transcript, tmp_path: Path
) -> None:
    entry = {"type": "command", "command": "echo The tests still run >&2; exit 2"}
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": {"PreCompact": [{"hooks": [entry]}]}}))
    with override_settings(CLAUDE_CONFIG_DIR=tmp_path):
        run = executed(transcript, hooks="user", hooks_seen=hooks_of(transcript).fingerprint)
    assert (run.status, run.error) == ("failed", "A PreCompact hook has stopped it: The tests still run")
    assert "exit 2" in run.result["hooks"][0]
    assert server.requests == []
    assert not Compaction.objects.exists()


def test_hooks_that_nobody_was_shown_do_not_run(server: MessagesServer, transcript: Transcript, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for number in (1, 2):
        entry = {"type": "command", "command": f"touch {ran} # {number}"}
        (tmp_path / "settings.json").write_text(json.dumps({"hooks": {"PreCompact": [{"hooks": [entry]}]}}))
        with override_settings(CLAUDE_CONFIG_DIR=tmp_path):
            if number == 1:
                output = hooks_of(transcript).fingerprint
                continue
            runs = [executed(transcript, hooks="user", **seen) for seen in ({"hooks_seen": output}, {})]
    assert [run.status for run in runs] == ["failed", "failed"]
    assert all(run.error.startswith("The hooks are not the ones that were shown") for run in runs)
    assert not ran.exists()
    assert server.requests == []
