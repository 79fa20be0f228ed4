from __future__ import annotations

from dataclasses import replace

from compaction.mechanisms.engine import (
    MicrocompactConfig,
    PipelineConfig,
    PipelineState,
    TimedConfig,
    compact_now,
    run_pipeline,
)
from sessions.transcripts.engine.messages import Message, replace_fields
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import START, Talk

NOW = START + 10_000


class TestThinking:
    BOUND, FREE = PipelineConfig(model="claude-opus-5-5"), PipelineConfig(model="claude-opus-4-5")
    COLD = MicrocompactConfig(TimedConfig(enabled=True, keep=1))

    @staticmethod
    def thoughts(messages: list[Message] | object) -> int:
        assert isinstance(messages, (list, tuple))
        return sum(block["type"] == "thinking" for message in messages for block in message.content)

    def talk(self) -> Talk:
        talk = Talk()
        talk.prompt("go")
        talk.says("first", thinks="one")
        for number in range(3):
            talk.reads(f"{number}.py", "x" * 3_000)
        talk.messages[1] = _signed(talk.messages[1], "s1")
        talk.says("second", thinks="two")
        talk.messages[-1] = _signed(talk.messages[-1], "s2")
        talk.prompt("more")
        return talk

    def test_thinking_behind_an_edit_dies_where_it_was_signed(self) -> None:
        talk = self.talk()
        for config, left in ((self.BOUND, 1), (self.FREE, 2)):
            outcome = run_pipeline(talk.messages, replace(config, microcompact=self.COLD), now=NOW)
            assert self.thoughts(list(outcome.messages)) == left

    def test_thinking_of_later_answers_lives_with_the_edit(self) -> None:
        talk = self.talk()
        config = replace(self.BOUND, microcompact=self.COLD)
        outcome = run_pipeline(talk.messages, config, now=NOW)
        talk.says("third", thinks="three")
        talk.messages[-1] = _signed(talk.messages[-1], "s3")
        talk.prompt("again")
        loaded = PipelineState.from_bytes(outcome.state.to_bytes())
        second = run_pipeline(talk.messages, config, loaded, now=NOW)
        assert self.thoughts(list(second.messages)) == 2
        assert second.array[: len(outcome.array)] == outcome.array

    def test_what_another_model_thought_is_left_out_after_a_switch(self) -> None:
        talk = self.talk()
        written = [
            replace_fields(each, model="claude-opus-4-5-20251101") if each.message_id else each
            for each in talk.messages
        ]
        assert self.thoughts(list(run_pipeline(written, self.FREE, now=NOW).messages)) == 2
        outcome = run_pipeline(written, PipelineConfig(model="claude-sonnet-5"), now=NOW)
        assert self.thoughts(list(outcome.messages)) == 0
        report = outcome.report.stage("foreign thinking")
        assert report is not None
        assert {change.why for change in report.changes} == {
            "claude-opus-4-5-20251101 thought it, and claude-sonnet-5 is asked."
        }
        assert self.thoughts(list(run_pipeline(written, now=NOW).messages)) == 2

    def test_it_dies_with_a_compaction(self) -> None:
        talk = self.talk()
        outcome = compact_now(talk.messages, Model(), self.BOUND, now=NOW, pivot="m9")
        assert self.thoughts(list(outcome.messages)) == 0


def _signed(message: Message, signature: str) -> Message:
    first, *rest = message.content
    return replace_fields(message, content=({**first, "signature": signature}, *rest))
