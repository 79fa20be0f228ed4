from __future__ import annotations

import pytest

from compaction.kinds.engine import CompactionResult, KindError, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.mechanisms.engine import Effects, Notes, PromptTooLongError, SummariseError
from compaction.mechanisms.engine.snip.removal import short_id
from sessions.transcripts.engine.messages import Message, join_messages
from sessions.usage.engine.tokens import LONG_CONTEXT_BETA, estimate
from sessions.usage.engine.usage import Usage
from tests.compaction.mechanisms.engine.summarising import REPLY, Model
from tests.sessions.transcripts.engine.spoken import START, Talk

NOW = START + 10_000


@pytest.fixture
def talk() -> Talk:
    made = Talk()
    made.prompt("What do the tides do?")
    for number in range(8):
        made.reads(f"/work/{number}.txt", str(number) * 4_000)
    made.says("They rise and fall.")
    made.prompt("And the moon?")
    made.says("It pulls.")
    made.prompt("Why?")
    return made


def kept(applied: CompactionResult) -> tuple[str, ...]:
    after = {message.uuid for message in applied.after if message.content}
    return tuple(message.uuid for message in applied.before if message.content and message.uuid in after)


def dropped(applied: CompactionResult) -> tuple[str, ...]:
    after = {message.uuid for message in applied.after if message.content}
    return tuple(message.uuid for message in applied.before if message.content and message.uuid not in after)


def test_a_budget_hands_over_what_it_replaced(talk: Talk) -> None:
    result = apply_kind(BUDGET, talk.messages, Parameters(settings={"per_result": "3000"}), now=NOW)
    assert len(result.persisted) == 8
    assert result.tokens_after == estimate(result.after) < result.tokens_before == estimate(talk.messages)
    assert result.records[0]["type"] == "content-replacement"
    assert dropped(result) == ()


def test_a_snip_takes_turns_by_short_id_or_uuid(talk: Talk) -> None:
    first = talk.messages[0].uuid
    by_uuid = apply_kind(SNIP, talk.messages, Parameters(ids=(first,)), now=NOW)
    by_id = apply_kind(SNIP, talk.messages, Parameters(ids=(short_id(first),)), now=NOW)
    assert by_uuid.after == by_id.after
    assert first in dropped(by_uuid)
    assert by_uuid.records[0]["snipMetadata"]["removedUuids"] == list(dropped(by_uuid))


def test_a_snip_needs_ids(talk: Talk) -> None:
    with pytest.raises(KindError, match="needs the ids"):
        apply_kind(SNIP, talk.messages, now=NOW)


def test_microcompact_on_demand_does_not_wait_for_a_pause(talk: Talk) -> None:
    result = apply_kind(MICROCOMPACT, talk.messages, Parameters(settings={"keep": "2"}), now=NOW)
    assert result.done
    assert len(result.records[0]["microcompactMetadata"]["compactedToolIds"]) == 6


def test_deleting_from_the_cache_leaves_the_array_as_it_is(talk: Talk) -> None:
    settings = {"mode": "cached", "trigger": "4", "keep": "1"}
    result = apply_kind(MICROCOMPACT, talk.messages, Parameters(settings=settings), now=NOW)
    assert result.after == talk.messages
    assert result.tokens_after < result.tokens_before
    assert len(result.cache_edits[0]["edits"]) == 7


def test_a_forecast_of_the_api_says_why_nothing_would_be_cleared(talk: Talk) -> None:
    result = apply_kind(MICROCOMPACT, talk.messages, Parameters(settings={"mode": "api"}), now=NOW)
    assert not result.done
    assert "clearing starts beyond 180,000" in result.why


def test_collapse_leaves_what_stands_before_the_first_answer(talk: Talk) -> None:
    settings = {"keep_tokens": "100", "least_score": "0"}
    result = apply_kind(COLLAPSE, talk.messages, Parameters(settings=settings), now=NOW)
    assert result.done
    assert result.mechanical
    assert result.after[0] is talk.messages[0]
    assert result.summary.startswith("Put together mechanically")
    assert result.records[0]["type"] == "marble-origami-commit"


def test_a_full_compaction_without_a_model_is_mechanical(talk: Talk) -> None:
    result = apply_kind(FULL, talk.messages, now=NOW)
    assert (result.done, result.mechanical, result.failed) == (True, True, False)
    assert result.summary.startswith("Put together mechanically")
    assert kept(result) == ()
    assert len(dropped(result)) == len(talk.messages)
    assert [record["type"] for record in result.records] == ["system", "user"]
    assert "Why?" in result.summary


def test_a_full_compaction_asks_the_model_that_is_given(talk: Talk) -> None:
    model = Model()
    parameters = Parameters(instructions="Mind the moon.")
    result = apply_kind(FULL, talk.messages, parameters, effects=Effects(summarise=model), now=NOW)
    assert not result.mechanical
    assert "To have it done." in result.summary
    assert "Mind the moon." in model.requests[0].messages[-1].content[0]["text"]


def test_up_to_a_pivot_keeps_what_follows(talk: Talk) -> None:
    pivot = talk.messages[-1].uuid
    result = apply_kind(PARTIAL_UP_TO, talk.messages, Parameters(pivot=pivot), now=NOW)
    assert kept(result) == (pivot,)


def test_from_a_pivot_keeps_what_precedes_and_summarises_only_the_rest(talk: Talk) -> None:
    for number in range(3):
        talk.reads(f"/work/moon-{number}.txt", str(number) * 4_000)
    pivot = talk.messages[18].uuid
    result = apply_kind(PARTIAL_FROM, talk.messages, Parameters(pivot=pivot), now=NOW)
    assert result.done, result.why
    assert kept(result) == tuple(message.uuid for message in talk.messages[:18])
    assert "tides do" not in result.summary


def test_a_pivot_amid_a_call_moves_to_where_more_is_kept(talk: Talk) -> None:
    result = talk.messages[14].uuid
    outcome = apply_kind(PARTIAL_UP_TO, talk.messages, Parameters(pivot=result), now=NOW)
    assert kept(outcome)[0] == talk.messages[13].uuid
    assert f"It is cut at {talk.messages[13].uuid}" in outcome.why


@pytest.mark.parametrize("pivot", ["", "nobody"])
def test_a_pivot_that_is_none_is_refused(talk: Talk, pivot: str) -> None:
    with pytest.raises(KindError):
        apply_kind(PARTIAL_FROM, talk.messages, Parameters(pivot=pivot), now=NOW)


def test_without_notes_session_memory_says_so(talk: Talk) -> None:
    result = apply_kind(SESSION_MEMORY, talk.messages, now=NOW)
    assert (result.done, result.why) == (False, "There are no notes of this session.")


def test_notes_become_the_summary(talk: Talk) -> None:
    notes = Notes("# Worklog\n_Steps_\nRead eight files.\n", last_summarized=talk.messages[-2].uuid)
    effects = Effects(read_notes=lambda: notes)
    parameters = Parameters(settings={"keep_tokens": "10", "keep_text_messages": "2"})
    result = apply_kind(SESSION_MEMORY, talk.messages, parameters, effects=effects, now=NOW)
    assert result.done
    assert not result.mechanical
    assert "Read eight files." in result.summary


def test_auto_says_why_nothing_would_happen(talk: Talk) -> None:
    result = apply_kind(AUTO, talk.messages, now=NOW)
    assert not result.done
    assert "are fewer than the threshold of 167,000" in result.why


@pytest.mark.parametrize(("rules", "threshold"), [("articles", "123,000"), ("2.1.325", "167,000")])
def test_the_longest_answer_of_the_session_is_left_free_as_the_rules_say(
    talk: Talk, rules: str, threshold: str
) -> None:
    effects = Effects(max_output=64_000)
    done = apply_kind(AUTO, talk.messages, Parameters(settings={"rules": rules}), effects=effects, now=NOW)
    assert f"are fewer than the threshold of {threshold}" in done.why


def test_a_beta_feature_of_the_session_counts_for_the_window(talk: Talk) -> None:
    done = apply_kind(AUTO, talk.messages, effects=Effects(betas=(LONG_CONTEXT_BETA,)), now=NOW)
    assert "are fewer than the threshold of 967,000" in done.why


def test_the_boundary_says_what_the_api_had_counted(talk: Talk) -> None:
    talk.says("Counted.", usage=Usage(input=3, cache_read=40_000, output=7))
    done = apply_kind(FULL, talk.messages, now=NOW)
    assert done.compaction is not None
    assert done.compaction.boundary.pre_tokens == 40_010


def test_auto_does_what_would_happen_now(talk: Talk) -> None:
    result = apply_kind(AUTO, talk.messages, Parameters(settings={"percent": "1"}), now=NOW)
    assert result.done
    assert result.mechanical
    assert "the threshold is 1,800" in result.why
    assert result.compaction is not None


def test_a_model_that_fails_is_told_and_changes_nothing(talk: Talk) -> None:
    effects = Effects(summarise=Model([SummariseError("nobody is there")]))
    result = apply_kind(FULL, talk.messages, effects=effects, now=NOW)
    assert (result.done, result.failed, result.after) == (False, True, talk.messages)
    assert "nobody is there" in result.why


def test_spans_are_announced_and_one_error_for_all_is_asked_for_once(talk: Talk) -> None:
    events: list[tuple[int, int]] = []
    settings = {"keep_tokens": "100", "least_score": "0", "least": "500", "most": "2500"}
    refused = Model([SummariseError("the key is refused", final=True)])
    effects = Effects(summarise=refused, announce_span=lambda number, of: events.append((number, of)))
    result = apply_kind(COLLAPSE, talk.messages, Parameters(settings=settings), effects=effects, now=NOW)
    assert (result.failed, result.why) == (True, "No span was summed up: the key is refused.")
    assert len(refused.requests) == 1
    assert events == [(number, len(events)) for number in range(1, len(events) + 1)]
    assert len(events) > 1


def test_a_span_that_is_too_long_stays_and_the_others_go(talk: Talk) -> None:
    settings = {"keep_tokens": "100", "least_score": "0", "least": "500", "most": "2500"}
    effects = Effects(summarise=Model([PromptTooLongError("prompt is too long"), REPLY]))
    result = apply_kind(COLLAPSE, talk.messages, Parameters(settings=settings), effects=effects, now=NOW)
    assert (result.done, result.failed) == (True, False)
    assert result.why.endswith("Not every span was summed up: a span is too long for the model.")


def test_auto_counts_its_failures_and_gives_up(talk: Talk) -> None:
    parameters = Parameters(settings={"percent": "1"})
    effects = Effects(summarise=Model([SummariseError("nobody is there", final=True)]))
    result = apply_kind(AUTO, talk.messages, parameters, effects=effects, now=NOW, failures=1)
    assert (result.failed, result.failures) == (True, 2)
    assert "nobody is there. That is failure 2 in a row; after 3 it is not tried any more." in result.why
    result = apply_kind(AUTO, talk.messages, parameters, effects=effects, now=NOW, failures=3)
    assert (result.failed, result.done) == (False, False)
    assert "It failed 3 times in a row and is not tried again. Ask for a full compaction" in result.why


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_was_given_stays_as_it_is(talk: Talk, kind: KindSpec) -> None:
    before: list[Message] = list(talk.messages)
    array = join_messages(before)
    parameters = Parameters(pivot=before[-1].uuid, ids=(before[0].uuid,))
    apply_kind(kind, talk.messages, parameters, now=NOW)
    assert talk.messages == before
    assert join_messages(talk.messages) == array
