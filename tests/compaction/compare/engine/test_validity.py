from __future__ import annotations

from compaction.compare.engine import causes_of_report, check_validity, compare
from compaction.compare.engine.sentence import recorded_title, sentence, trace_summary
from compaction.kinds.engine import Parameters, apply_kind
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.services.make import report_of
from compaction.kinds.services.summarising import Summariser
from sessions.transcripts.engine.messages import Block, Message, replace_fields
from tests.sessions.transcripts.engine.talk import NOON, answered, call, loop, returned, typed

BOUND, UNBOUND = "claude-opus-5-5", "claude-opus-4-6"


def thought(number: int) -> Block:
    return {"type": "thinking", "thinking": f"Hm {number}.", "signature": f"signed {number}"}


def talk() -> list[Message]:
    result = [typed("How high is it?")]
    for number in range(4):
        answer = answered("", call(f"t{number}"), id=f"m{number}")
        result += [
            replace_fields(answer, content=(thought(number), *answer.content)),
            returned((f"t{number}", "x" * 400)),
        ]
    return result


def test_an_untouched_context_is_valid_and_all_thinking_holds() -> None:
    validity = check_validity(compare(talk(), talk()), BOUND)
    assert (validity.refused, validity.findings, validity.dead) == (0, (), ())
    assert (validity.thinking_before, validity.thinking_after, validity.bound) == (4, 4, True)


def test_a_result_without_its_call_is_refused_and_names_its_message() -> None:
    before = talk()
    validity = check_validity(compare(before, [before[0], *before[2:]]), BOUND)
    assert validity.refused
    assert {finding.message for finding in validity.findings if finding.finding.rule != "user-first"} == {1}
    assert validity.groups[0].finding.severity.value == "refused"


def test_thinking_after_an_edit_is_dead_where_the_model_binds_it() -> None:
    before = talk()
    edited = [*before[:4], replace_fields(before[4], content=returned(("t1", "cleared")).content), *before[5:]]
    dead = check_validity(compare(before, edited), BOUND).dead
    assert [(item.message, item.block) for item in dead] == [(5, 0), (7, 0)]
    assert check_validity(compare(before, edited), UNBOUND).dead == ()
    assert check_validity(compare(before, edited), "kelp-coder-32b").bound is None


def test_a_run_tells_which_thinking_it_left_out() -> None:
    before = [*talk(), *loop(6, prefix="later")]
    applied = apply_kind(MICROCOMPACT, before, now=NOON + 9_999, model=BOUND)
    comparison = compare(
        before, applied.after, causes_of_report(report_of(MICROCOMPACT, applied, Summariser("mechanical", "")))
    )
    validity = check_validity(comparison, BOUND)
    assert validity.left_out == (3, 5, 7)
    assert validity.thinking_after == 1
    assert validity.dead == ()


def test_an_answer_at_the_end_waits_for_the_next_input() -> None:
    before = [typed("Go on"), answered("Done.")]
    validity = check_validity(compare(before, before), BOUND)
    assert validity.waiting
    assert validity.refused == 0


def test_a_sentence_tells_what_became_of_the_messages() -> None:
    text = "Which of the harbours between Skerry Point and Gull Haven has the highest spring tide in October?"
    long = [typed(text), *(answered(f"Yes {turn}. " * 900, id=str(turn)) for turn in range(11))]
    applied = apply_kind(FULL, long, Parameters(), now=NOON, model=UNBOUND)
    report = report_of(FULL, applied, Summariser("mechanical", ""))
    comparison = compare(long, applied.after, causes_of_report(report))
    assert sentence(comparison).startswith("12 records became a summary of ~")
    assert sentence(compare(long, long)) == "12 records kept word for word."
    assert sentence(compare([], [])) == "Both contexts are empty."
    attribution = trace_summary(comparison, applied.summary, str)
    assert attribution is not None
    assert attribution.sentences_of(long[0].uuid)
    assert trace_summary(compare(long, long), applied.summary, str) is None


def test_a_record_of_the_session_has_a_title() -> None:
    metadata = {"trigger": "auto", "preTokens": 167_200}
    assert recorded_title({"subtype": "compact_boundary", "compactMetadata": metadata}) == (
        "Compacted automatically at ~167.2k tokens"
    )
    assert recorded_title({"subtype": "compact_boundary"}) == ("Compacted (trigger unknown) at a size that is unknown")
    assert recorded_title({"type": "content-replacement"}) == "Results put on disk"
