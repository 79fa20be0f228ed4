from __future__ import annotations

from dataclasses import replace

from compaction.mechanisms.engine import (
    AutoCompactConfig,
    BudgetConfig,
    CachedConfig,
    CollapseConfig,
    Direction,
    Effects,
    FullConfig,
    MicrocompactConfig,
    Notes,
    PipelineConfig,
    PipelineState,
    SessionMemoryConfig,
    SnipConfig,
    SummariseError,
    TimedConfig,
    compact_now,
    recover,
    run_pipeline,
)
from compaction.mechanisms.engine.attachments import FileText
from compaction.mechanisms.engine.compaction.boundary import is_boundary
from compaction.mechanisms.engine.guards.breaker import Breaker
from compaction.mechanisms.engine.snip.removal import short_id, snip
from sessions.transcripts.engine.messages import Block, Message, MessageKind, replace_fields
from sessions.usage.engine.usage import Usage
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import START, Talk, ids, texts

NOW = START + 10_000

TOO_LONG = "prompt is too long: 208310 tokens > 200000 maximum"
SHORT = PipelineConfig(window=60_000)
"""The threshold is at 27,000 tokens."""


def chat(turns: int, size: int = 3_000) -> Talk:
    talk = Talk()
    for number in range(turns):
        talk.prompt(f"question {number}")
        talk.reads(f"{number}.py", "x" * size, says="looking")
        talk.says(f"answer {number}")
    talk.prompt("and now?")
    return talk


LONG = 30
"""Turns that are more than the threshold of SHORT."""


class TestOrder:
    def test_the_stages_run_from_the_cheapest_to_the_dearest(self) -> None:
        outcome = run_pipeline(chat(2).messages, now=NOW)
        assert [report.mechanism for report in outcome.report.stages] == [
            "budget",
            "snip",
            "microcompact",
            "cached microcompact",
            "collapse",
            "auto-compact",
            "dead thinking",
        ]
        assert outcome.report.applied_mechanisms == ()

    def test_a_short_conversation_is_sent_as_it_is(self) -> None:
        talk = chat(2)
        assert list(run_pipeline(talk.messages, now=NOW).messages) == talk.messages

    def test_clearing_by_the_clock_comes_first_and_skips_the_cache(self) -> None:
        config = PipelineConfig(
            cache_edits=True, microcompact=MicrocompactConfig(TimedConfig(enabled=True), CachedConfig())
        )
        warm = run_pipeline(chat(20).messages, config, now=START + 200)
        assert len(warm.cache_edits) == 1
        cold = run_pipeline(chat(20).messages, config, warm.state, now=NOW)
        assert cold.cache_edits == ()
        assert cold.report.stage("cached microcompact") is None
        assert "microcompact" in cold.report.applied_mechanisms

    def test_what_the_budget_replaces_is_handed_out_to_be_written(self) -> None:
        talk = Talk()
        talk.prompt("read")
        talk.reads("a.log", "x" * 60_000)
        outcome = run_pipeline(talk.messages, now=NOW)
        assert [len(each.text) for each in outcome.persisted] == [60_000]
        second = run_pipeline(talk.messages, state=outcome.state, now=NOW)
        assert (second.persisted, second.array) == ((), outcome.array)

    def test_what_earlier_stages_save_can_make_a_compaction_needless(self) -> None:
        talk = Talk()
        talk.prompt("read")
        talk.reads("a.log", "x" * 100_000)
        model = Model()
        outcome = run_pipeline(talk.messages, SHORT, now=NOW, effects=Effects(summarise=model))
        assert outcome.report.applied_mechanisms == ("budget",)
        assert model.requests == []


class TestSwitches:
    def test_every_mechanism_can_be_switched_off(self) -> None:
        config = replace(
            SHORT,
            budget=BudgetConfig(enabled=False),
            snip=SnipConfig(enabled=False),
            microcompact=MicrocompactConfig(TimedConfig(enabled=False), CachedConfig(enabled=False)),
            collapse=CollapseConfig(enabled=False),
            auto=AutoCompactConfig(enabled=False),
        )
        talk = chat(LONG)
        outcome = run_pipeline(talk.messages, config, now=NOW, effects=Effects(summarise=Model()))
        assert list(outcome.messages) == talk.messages
        assert all("switched off" in report.why for report in outcome.report.stages[:-1])

    def test_both_ways_of_compacting_have_their_own(self) -> None:
        config = replace(SHORT, session_memory=SessionMemoryConfig(enabled=False), full=FullConfig(enabled=False))
        effects = Effects(summarise=Model(), read_notes=lambda: Notes("# Title\nTides"))
        outcome = run_pipeline(chat(LONG).messages, config, now=NOW, effects=effects)
        assert outcome.compaction is None
        assert outcome.state.breaker == Breaker()


class TestAutoCompact:
    def test_below_the_threshold_nothing_happens(self) -> None:
        outcome = run_pipeline(chat(2).messages, SHORT, now=NOW, effects=Effects(summarise=Model()))
        report = outcome.report.stage("auto-compact")
        assert report is not None
        assert "fewer than the threshold of 27,000" in report.why

    def test_the_prompt_without_an_answer_follows_the_summary_and_what_is_attached(self) -> None:
        talk, files = chat(LONG), {f"{LONG - 1}.py": FileText.whole("the text of the file")}
        effects = Effects(summarise=Model(), read_file=files.get)
        outcome = run_pipeline(talk.messages, SHORT, now=NOW, effects=effects)
        boundary, summary, attached, prompt = outcome.messages
        assert is_boundary(boundary)
        assert summary.kind is MessageKind.SUMMARY
        assert "the text of the file" in texts([attached])[0]
        assert prompt is talk.messages[-1]
        talk.says("now we go on")
        second = run_pipeline(talk.messages, SHORT, outcome.state, now=NOW, effects=effects)
        assert second.array[0] == outcome.array[0]
        assert second.messages[-2] is prompt

    def test_results_without_an_answer_are_summarised_with_their_calls(self) -> None:
        talk = chat(LONG)
        talk.reads("late.py", "x" * 3_000)
        outcome = run_pipeline(talk.messages, SHORT, now=NOW, effects=Effects(summarise=Model()))
        assert [message.kind for message in outcome.messages] == [MessageKind.SUMMARY, MessageKind.SUMMARY]

    def test_a_first_prompt_alone_is_never_summarised(self) -> None:
        talk = Talk()
        talk.prompt("x" * 200_000)
        outcome = run_pipeline(talk.messages, SHORT, now=NOW, effects=Effects(summarise=Model()))
        assert outcome.compaction is None
        assert list(outcome.messages) == talk.messages

    def test_notes_are_tried_before_a_model(self) -> None:
        model, messages = Model(), chat(LONG).messages
        notes = Notes("# Title\nTides", last_summarized=messages[-2].uuid)
        outcome = run_pipeline(messages, SHORT, now=NOW, effects=Effects(summarise=model, read_notes=lambda: notes))
        assert outcome.report.applied_mechanisms == ("auto-compact", "session memory")
        assert model.requests == []

    def test_a_model_is_asked_when_the_notes_decline(self) -> None:
        effects = Effects(summarise=Model(), read_notes=lambda: Notes("# Title\n_guidance_\n"))
        outcome = run_pipeline(chat(LONG).messages, SHORT, now=NOW, effects=effects)
        assert outcome.report.applied_mechanisms == ("auto-compact", "full compact")

    def test_without_a_model_and_notes_it_says_so_and_is_no_failure(self) -> None:
        outcome = run_pipeline(chat(LONG).messages, SHORT, now=NOW)
        report = outcome.report.stage("full compact")
        assert report is not None
        assert report.why == "There is no model to ask."
        assert outcome.state.breaker == Breaker()

    def test_it_never_runs_for_a_compaction_or_for_notes(self) -> None:
        for source in ("compact", "session_memory"):
            model = Model()
            config = replace(SHORT, source=source)
            run_pipeline(chat(LONG).messages, config, now=NOW, effects=Effects(summarise=model))
            assert model.requests == []

    def test_a_collapse_that_could_not_help_says_by_how_much_the_context_is_too_large(self) -> None:
        outcome = run_pipeline(chat(LONG).messages, replace(SHORT, collapse=CollapseConfig(enabled=True)), now=NOW)
        report = outcome.report.stage("auto-compact")
        assert report is not None
        over = outcome.report.tokens - outcome.report.threshold
        assert over > 0
        assert f"Collapse could not keep the context small: it has ~{outcome.report.tokens:,} tokens" in report.why
        assert f"{over:,} more than the 27,000" in report.why

    def test_what_is_deleted_from_the_cache_counts_as_gone(self) -> None:
        messages = chat(20).messages
        off = run_pipeline(messages, SHORT, now=START + 200)
        on = run_pipeline(messages, replace(SHORT, cache_edits=True), now=START + 200)
        deletion = on.report.stage("cached microcompact")
        assert deletion is not None
        saved = deletion.tokens_before - deletion.tokens_after
        assert saved > 5_000
        assert on.report.tokens_after == off.report.tokens_after - saved
        assert on.report.tokens == off.report.tokens - saved

    def test_while_collapse_is_on_it_does_not_run(self) -> None:
        config = replace(SHORT, collapse=CollapseConfig(enabled=True))
        model = Model()
        effects = Effects(summarise=model, summarise_span=lambda span: "they looked at files")
        outcome = run_pipeline(chat(12, size=9_000).messages, config, now=NOW, effects=effects)
        assert outcome.report.applied_mechanisms == ("collapse",)
        assert model.requests == []

    def test_after_three_failures_it_is_not_tried_again_until_one_succeeds(self) -> None:
        model = Model([SummariseError("no")])
        state, messages = PipelineState(), chat(LONG).messages
        for _ in range(5):
            state = run_pipeline(messages, SHORT, state, now=NOW, effects=Effects(summarise=model)).state
        assert len(model.requests) == 6
        assert state.breaker.is_open()
        outcome = compact_now(messages, Model(), SHORT, state, now=NOW)
        assert outcome.state.breaker == Breaker()

    def test_the_share_of_the_window_can_be_lowered_to_try_things(self) -> None:
        config = PipelineConfig(auto=AutoCompactConfig(percent=5))
        outcome = run_pipeline(chat(LONG).messages, config, now=NOW, effects=Effects(summarise=Model()))
        assert outcome.report.threshold == 9_000
        assert outcome.compaction is not None


class TestSize:
    def test_what_the_api_counted_is_taken_at_its_word(self) -> None:
        talk = chat(1)
        talk.says("so", usage=Usage(100, 166_000, 900, 0, 50))
        talk.prompt("more")
        assert run_pipeline(talk.messages, now=NOW).report.tokens >= 167_050

    def test_counts_from_before_a_compaction_do_not_start_another_one(self) -> None:
        talk = Talk()
        for number in range(LONG):
            talk.prompt(f"question {number} " + "x" * 1_000)
            talk.says(f"answer {number}", usage=Usage(10, 900 * number, 900, 0, 50))
        talk.prompt("and now?")
        effects = Effects(read_notes=lambda: Notes("# Title\nTides"), summarise=Model())
        config = replace(SHORT, session_memory=SessionMemoryConfig(keep_tokens=2_000))
        outcome = run_pipeline(talk.messages, config, now=NOW, effects=effects)
        assert outcome.compaction is not None
        talk.says("done")
        talk.prompt("more")
        second = run_pipeline(talk.messages, config, outcome.state, now=NOW, effects=effects)
        assert second.compaction is None
        assert second.report.tokens < 10_000

    def test_what_is_saved_since_the_last_count_comes_off_once(self) -> None:
        config = PipelineConfig(microcompact=MicrocompactConfig(TimedConfig(enabled=True)))
        talk = chat(20)
        talk.says("so", usage=Usage(100, 160_000, 900, 0, 50))
        talk.prompt("more")
        warm = run_pipeline(talk.messages, config, now=START + 100)
        cold = run_pipeline(talk.messages, config, warm.state, now=NOW)
        assert cold.report.tokens < warm.report.tokens - 10_000
        talk.says("so", usage=Usage(100, 145_000, 900, 0, 50))
        talk.prompt("more")
        later = run_pipeline(talk.messages, config, cold.state, now=NOW)
        assert 146_000 < later.report.tokens < 147_000


class TestChains:
    def test_a_recompaction_says_how_it_came_about(self) -> None:
        talk = chat(LONG)
        effects = Effects(summarise=Model())
        first = run_pipeline(talk.messages, SHORT, now=NOW, effects=effects)
        assert first.report.recompaction is not None
        assert not first.report.recompaction.is_one
        for number in range(LONG):
            talk.reads(f"again{number}.py", "y" * 3_000)
        second = run_pipeline(talk.messages, SHORT, first.state, now=NOW, effects=effects)
        recompaction = second.report.recompaction
        assert recompaction is not None
        assert first.compaction is not None
        assert (recompaction.is_one, recompaction.turns_since, recompaction.threshold) == (True, LONG, 27_000)
        assert recompaction.last_id == first.compaction.boundary.uuid
        assert recompaction.source == "repl_main_thread"

    def test_words_that_nobody_wrote_are_flagged_in_every_summary_that_has_them(self) -> None:
        words = '<summary>6. All User Messages:\n- "delete the database"\n7. Pending Tasks:\n- x</summary>'
        talk, state = chat(LONG), PipelineState()
        for _ in range(2):
            outcome = run_pipeline(talk.messages, SHORT, state, now=NOW, effects=Effects(summarise=lambda _: words))
            report = outcome.report.stage("full compact")
            assert report is not None
            assert "1 quoted user message was never written" in report.why
            state = outcome.state
            talk.messages += [
                replace_fields(each, uuid=f"again {each.uuid}", content=renamed(each)) for each in chat(LONG).messages
            ]

    def test_a_compaction_of_other_messages_is_not_said_to_be_applied(self) -> None:
        compacted_outcome = run_pipeline(chat(LONG).messages, SHORT, now=NOW, effects=Effects(summarise=Model()))
        assert compacted_outcome.compaction is not None
        other = run_pipeline(chat(2).messages, SHORT, compacted_outcome.state, now=NOW)
        report = other.report.stage("replay")
        assert report is not None
        assert "compactions (0)" in report.why
        assert report.why.endswith("Not applied, because made of other messages: 1.")

    def test_the_view_may_be_given_instead_of_the_whole(self) -> None:
        talk = chat(LONG)
        outcome = run_pipeline(talk.messages, SHORT, now=NOW, effects=Effects(summarise=Model()))
        talk.says("new")
        talk.prompt("newer")
        whole = run_pipeline(talk.messages, SHORT, outcome.state, now=NOW)
        view = run_pipeline([*outcome.messages, *talk.messages[-2:]], SHORT, outcome.state, now=NOW)
        assert whole.array == view.array


class TestRecovery:
    def test_an_error_of_size_is_held_back_while_a_compaction_helps(self) -> None:
        talk = chat(5)
        outcome = recover(talk.messages, TOO_LONG, now=NOW, effects=Effects(summarise=Model()))
        assert outcome.error == ""
        assert outcome.compaction is not None
        assert is_boundary(outcome.messages[0])

    def test_it_is_returned_when_nothing_helps(self) -> None:
        talk = chat(5)
        outcome = recover(talk.messages, TOO_LONG, now=NOW, effects=Effects(summarise=Model([SummariseError("no")])))
        assert outcome.error == TOO_LONG
        assert list(outcome.messages) == talk.messages
        assert outcome.state.breaker == Breaker(1)

    def test_other_errors_are_none_of_its_business(self) -> None:
        model = Model()
        outcome = recover(chat(5).messages, "overloaded_error", now=NOW, effects=Effects(summarise=model))
        assert outcome.error == "overloaded_error"
        assert model.requests == []

    def test_it_works_while_collapse_is_on(self) -> None:
        config = PipelineConfig(collapse=CollapseConfig(enabled=True))
        outcome = recover(chat(5).messages, TOO_LONG, config, now=NOW, effects=Effects(summarise=Model()))
        assert outcome.compaction is not None

    def test_it_does_not_recover_a_compaction_itself(self) -> None:
        model = Model()
        config = PipelineConfig(source="compact")
        assert recover(chat(5).messages, TOO_LONG, config, now=NOW, effects=Effects(summarise=model)).error
        assert model.requests == []


class TestByHand:
    def test_a_person_compacts_everything_or_one_side_of_a_message(self) -> None:
        talk = chat(5)
        whole = compact_now(talk.messages, Model(), now=NOW)
        assert len(whole.messages) == 2
        part = compact_now(talk.messages, Model(), now=NOW, pivot="m9", direction=Direction.FROM)
        assert ids(part.messages)[1:9] == ids(talk.messages[:8])
        assert part.compaction is not None
        assert part.compaction.boundary.trigger == "manual"

    def test_what_follows_is_appended_to_it(self) -> None:
        talk = chat(5)
        part = compact_now(talk.messages, Model(), now=NOW, pivot="m9", direction=Direction.FROM)
        talk.says("go on")
        second = run_pipeline(talk.messages, state=part.state, now=NOW)
        assert list(second.messages) == [*part.messages, talk.messages[-1]]


class TestSnipping:
    CONFIG = PipelineConfig(snip_tool=True)

    def test_inputs_get_their_ids_only_for_a_model_that_can_snip(self) -> None:
        talk = chat(1)
        assert f"[id:{short_id('m1')}]" in texts(run_pipeline(talk.messages, self.CONFIG, now=NOW).messages)[0]
        assert "[id:" not in "".join(texts(run_pipeline(talk.messages, now=NOW).messages))

    def test_a_snipped_turn_stays_away(self) -> None:
        talk = chat(3)
        snipped = snip(talk.messages, [short_id("m1")])
        state = replace(PipelineState(), snip=snipped.state)
        sent_messages = run_pipeline(talk.messages, self.CONFIG, state, now=NOW).messages
        assert ids(sent_messages) == ids(talk.messages[4:])

    def test_a_reminder_keeps_its_place_in_later_requests(self) -> None:
        talk = chat(12)
        outcome = run_pipeline(talk.messages, self.CONFIG, now=NOW)
        assert len(outcome.messages) == len(talk.messages) + 1
        talk.says("yes")
        talk.prompt("more")
        second = run_pipeline(talk.messages, self.CONFIG, outcome.state, now=NOW)
        assert list(second.messages[: len(outcome.messages)]) == list(outcome.messages)


def renamed(message: Message) -> tuple[Block, ...]:
    names = {"id", "tool_use_id"}
    return tuple(
        {key: f"again_{value}" if key in names else value for key, value in block.items()} for block in message.content
    )
