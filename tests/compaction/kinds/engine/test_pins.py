"""What is pinned stays word for word in every kind."""

from __future__ import annotations

import json

import pytest

from compaction.kinds.engine import CompactionResult, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.snip import SNIP
from compaction.mechanisms.engine import Effects, Notes
from sessions.transcripts.engine.messages import Message
from tests.sessions.transcripts.engine.spoken import START, Talk

NOW = START + 10_000
RULE = "Never touch the gauge at Gull Haven."
FAILURE = "the pump failed at four"
SETTINGS = {
    BUDGET: {"per_result": "1000"},
    COLLAPSE: {"keep_tokens": "100", "least": "100"},
    AUTO: {"percent": "1", "budget.per_result": "1000"},
}


def conversation() -> Talk:
    talk = Talk()
    talk.prompt("What do the tides do?")
    talk.says("They rise and fall. " * 200)
    talk.prompt(RULE)
    talk.says("I leave it alone.")
    talk.reads("/work/log.txt", f"1\t{'x' * 6_000}\n3\t{FAILURE}")
    for number in range(8):
        talk.reads(f"/work/{number}.txt", f"1\t{number * 2_000}{'y' * 2_000}")
    talk.says("All read.")
    talk.prompt("And the moon?")
    talk.says("It pulls.")
    return talk


def compacted(kind: KindSpec, pinned: set[str]) -> CompactionResult:
    talk = conversation()
    messages = talk.messages
    last = messages[-2].uuid
    parameters = Parameters(
        pivot={PARTIAL_FROM: messages[1].uuid, PARTIAL_UP_TO: last}.get(kind, ""),
        ids=(messages[2].uuid,) if kind is SNIP else (),
        settings=SETTINGS.get(kind, {}),
    )
    notes = Notes("# Worklog\nTides rise and fall.\n", last_summarized=messages[-3].uuid)
    effects = Effects(read_notes=lambda: notes, pinned=frozenset(pinned))
    return apply_kind(kind, messages, parameters, effects=effects, now=NOW)


def pinned_in(talk: Talk) -> set[str]:
    return {message.uuid for message in talk.messages if any(words in said([message]) for words in (RULE, FAILURE))}


def said(messages: list[Message]) -> str:
    return "\n".join(json.dumps(block, ensure_ascii=False) for message in messages for block in message.content)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_pinned_rule_and_a_pinned_result_stay_word_for_word(kind: KindSpec) -> None:
    pinned = pinned_in(conversation())
    assert len(pinned) == 2
    applied = compacted(kind, pinned)
    after = said(list(applied.after))
    assert RULE in after
    assert FAILURE in after


def test_without_a_pin_they_would_not_all_stay() -> None:
    lost = [kind for kind in KINDS if FAILURE not in said(list(compacted(kind, set()).after))]
    assert {BUDGET, PARTIAL_FROM, PARTIAL_UP_TO} <= set(lost)


def test_a_turn_with_a_pinned_message_is_not_snipped_and_the_report_says_so() -> None:
    applied = compacted(SNIP, pinned_in(conversation()))
    assert not applied.done
    assert "stays: a message of its turn is pinned." in applied.why


def test_a_text_of_a_pinned_result_is_not_moved_to_a_file() -> None:
    pinned = pinned_in(conversation())
    with_pin, without = compacted(BUDGET, pinned), compacted(BUDGET, set())
    assert len(with_pin.persisted) == len(without.persisted) - 1
    assert len(with_pin.records[0]["replacements"]) == len(with_pin.persisted)
    assert with_pin.tokens_after > without.tokens_after
    assert "1 pinned message stays as it was." in with_pin.why


def test_a_deletion_from_the_cache_spares_pinned_results() -> None:
    talk = conversation()
    parameters = Parameters(settings={"mode": "cached", "trigger": "3", "keep": "1"})
    effects = Effects(pinned=frozenset(pinned_in(talk)))
    everything = apply_kind(MICROCOMPACT, talk.messages, parameters, now=NOW)
    spared = apply_kind(MICROCOMPACT, talk.messages, parameters, effects=effects, now=NOW)
    assert len(spared.cache_edits[0]["edits"]) == len(everything.cache_edits[0]["edits"]) - 1
