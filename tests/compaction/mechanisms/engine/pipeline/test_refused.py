"""What stays where the API has refused a request as too long, by the rules of a client that keeps more then."""

from __future__ import annotations

from compaction.mechanisms.engine import AutoCompactConfig, Effects, PipelineConfig, recover, run_pipeline
from compaction.mechanisms.engine.compaction.continuation import summary_message
from sessions.transcripts.engine.messages import Message
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import START, Talk, ids

NOW = START + 10_000
TOO_LONG = "Prompt is too long"
CLIENT = Effects(summarise=Model(), client="2.1.325")


def chat(turns: int) -> list[Message]:
    talk = Talk()
    for number in range(turns):
        talk.prompt(f"question {number}")
        talk.says(f"answer {number} " + "x" * 900)
    talk.prompt("and now?")
    return talk.messages


def kept(messages: list[Message], after: list[Message]) -> list[str]:
    mine = set(ids(messages))
    return [message.uuid for message in after if message.uuid in mine]


def test_the_newer_half_stays_and_the_prompt_follows() -> None:
    messages = chat(8)
    outcome = recover(messages, TOO_LONG, now=NOW, effects=CLIENT)
    assert kept(messages, list(outcome.messages)) == ids(messages)[7:]


def test_when_it_is_only_large_the_last_answer_stays() -> None:
    messages = chat(8)
    config = PipelineConfig(auto=AutoCompactConfig(percent=1))
    outcome = run_pipeline(messages, config, now=NOW, effects=CLIENT)
    assert kept(messages, list(outcome.messages)) == ids(messages)[15:]


def test_what_was_just_compacted_is_compacted_as_usual() -> None:
    messages = [summary_message("What came before.", "earlier"), *chat(6)]
    outcome = recover(messages, TOO_LONG, now=NOW, effects=CLIENT)
    assert kept(messages, list(outcome.messages)) == ids(messages)[-2:]
