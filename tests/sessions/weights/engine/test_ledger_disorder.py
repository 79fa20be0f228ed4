"""Requests that do not simply continue the one before: retries, requests at the same time, answers that are missing,
results that left the cache, sub-agents."""

from __future__ import annotations

import pytest

from sessions.weights.engine import Basis, Ledger, Part, Weight, features_of
from tests.sessions.weights.engine.test_ledger import HEAD, Talk, difference


def is_measured(weight: Weight, tokens: int) -> bool:
    return weight.basis is Basis.MEASURED and round(weight.tokens, 6) == tokens


def test_a_retry_of_the_same_prompt_weighs_nothing_anew() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    talk.say("result", 1_234)
    talk.ask()  # the answer was cut off, and is in no later prompt
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert is_measured(talk.ledger.weights["result"], 1_234)
    assert sizing is not None
    assert (sizing.unrecorded, sizing.predicted) == (0, sizing.count.prompt)


def test_the_answer_of_a_request_made_at_the_same_time_takes_no_part_in_the_next() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    talk.say("result", 1_000)
    main = list(talk.blocks)
    talk.ask(output=700)
    talk.blocks = main  # its answer went elsewhere
    talk.say("another", 600)
    talk.ask(output=10)
    weights = talk.weights()
    assert is_measured(weights["result"], 1_000)
    assert is_measured(weights["another"], 600)


def test_what_came_with_a_missing_answer_is_told_as_not_recorded() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    talk.unrecorded = 5_000  # an answer that no record holds, and is sent all the same
    talk.say("result", 400)
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.unrecorded == pytest.approx(5_000, abs=400)
    assert talk.ledger.weights["result"].tokens < 1_000


def test_results_that_were_deleted_from_the_cache_lose_their_weight_and_not_the_head() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    for number in range(4):
        talk.say(f"result {number}", 3_000)
        talk.ask(output=20)
    deleted = {"result 0", "result 1"}
    talk.blocks = [(part, 0 if part.key in deleted else tokens) for part, tokens in talk.blocks]
    talk.say("prompt 2", 60)
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    weights = talk.ledger.weights
    assert sizing is not None
    assert sizing.head.tokens == pytest.approx(HEAD, abs=60)
    assert difference(weights, sorted(deleted), 0) < 120
    assert is_measured(weights["result 3"], 3_000)


def test_a_sub_agent_has_a_head_of_its_own() -> None:
    main, agent = Talk(), Talk(head=4_000)
    for talk in (main, agent):
        talk.say("prompt", 50)
        talk.ask(output=40)
        talk.ledger.finish()
    heads = [talk.ledger.head for talk in (main, agent)]
    assert [round(head.tokens, -3) for head in heads if head is not None] == [HEAD, 4_000]


def test_a_conversation_that_went_back_keeps_the_weights_of_what_is_still_sent() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    talk.say("result", 1_000)
    before = list(talk.blocks)
    talk.ask(output=20)
    talk.say("wrong way", 2_000)
    talk.ask(output=20)
    talk.blocks = before
    talk.say("other way", 300)
    talk.ask(output=10)
    weights = talk.weights()
    assert is_measured(weights["result"], 1_000)
    assert is_measured(weights["other way"], 300)


def test_a_session_without_any_count_has_no_sizes() -> None:
    assert Ledger().finish() is None


def test_what_no_record_told_of_leaves_the_context_with_the_messages_that_it_came_with() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    for number in range(5):
        talk.say(f"result {number}", 4_000)
        talk.unrecorded += 900
        talk.ask(output=20)
    talk.blocks, talk.unrecorded = [], 0
    talk.say("summary", 700, kind="text")
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.unrecorded == pytest.approx(0, abs=100)
    assert talk.ledger.weights["summary"].tokens == pytest.approx(700, abs=100)


def test_the_definition_of_a_tool_that_was_looked_up_weighs_where_its_name_stands() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    names = [{"type": "tool_reference", "tool_name": name} for name in ("TaskCreate", "TaskUpdate", "TaskList")]
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": names}
    talk.blocks.append((Part("looked up", features_of(block)), 2_233))
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.unrecorded == 0
    assert is_measured(talk.ledger.weights["looked up"], 2_233)


def test_what_a_tool_of_the_server_gave_back_encrypted_weighs_what_the_count_leaves() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    block = {"type": "advisor_tool_result", "content": {"type": "advisor_redacted_result", "encrypted_content": "x"}}
    talk.blocks.append((Part("advice", features_of(block)), 2_000))
    talk.say("result", 500)
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.unrecorded == 0
    assert difference(talk.ledger.weights, ["advice", "result"], 2_500) < 1e-6


def test_what_a_client_attaches_again_after_a_compaction_is_not_taken_for_another_head() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    talk.ask(output=40)
    for number in range(5):
        talk.say(f"result {number}", 4_000)
        talk.ask(output=20)
    talk.blocks, talk.unrecorded, talk.read = [], 9_000, HEAD // 2
    talk.say("summary", 700, kind="text")
    talk.ask(output=10)
    sizing = talk.ledger.finish()
    assert sizing is not None
    assert sizing.head.tokens == pytest.approx(HEAD, abs=60)
    assert sizing.attached == sizing.unrecorded == pytest.approx(9_000, abs=300)
