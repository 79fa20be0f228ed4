"""A session of two hours, from its first request to the compaction by its notes: how a harbour gets its tide tables."""

from __future__ import annotations

from dataclasses import replace

from compaction.mechanisms.engine import (
    Effects,
    Notes,
    PipelineConfig,
    PipelineOutcome,
    PipelineState,
    Plan,
    Skill,
    Surroundings,
    run_pipeline,
)
from compaction.mechanisms.engine.attachments import FileText
from compaction.mechanisms.engine.compaction.boundary import is_boundary
from sessions.lint.engine import Severity, lint_request
from sessions.transcripts.engine.messages import Message
from tests.sessions.transcripts.engine.spoken import START, Talk, ids, texts

MODEL = "claude-opus-4-5"
TWO_HOURS = 7_200.0
NOTES = """\
# Session Title
_A title of five to ten words_
Tide tables from the harmonic constants

# Current State
_What is being worked on_
Writing the branch for harbours with two gauges.

# Task specification
_What the user wants_
Tables for every harbour, checked against the printed ones.

# Errors & Corrections
_What went wrong, and what the user corrected_
The user corrected: never average two gauges.
"""


def session() -> Talk:
    talk = Talk()
    talk.prompt("We need tide tables from the constants, the harbour office wants them by Friday")
    for number in range(24):
        talk.reads(
            f"tides/part{number}.py", f"# part {number}\n" + "height = sum(constants)\n" * 900, says="Reading on."
        )
        talk.says(f"Part {number} is clear: " + "the phase belongs to the constituent. " * 50)
        talk.prompt(f"Go on with part {number + 1}")
    talk.says("All parts are read, the tables can be written.")
    return talk


def latest(talk: Talk) -> None:
    """What the notes do not know yet."""
    talk.prompt("Now the branch for two gauges")
    talk.reads(
        "tides/gauges.py", "def merge():\n    ...\n" * 1_500, says="The main path is clear, I look at the gauges."
    )
    edit = {"file_path": "tides/gauges.py", "old_string": "...", "new_string": "return first or second"}
    talk.result(talk.calls("Edit", edit, says="The first gauge wins. I write that."), "The file was edited.")
    talk.prompt("Wait, what about a gauge that fell dry?")
    talk.says("Then the second one has to stand in. I change the design.")
    talk.prompt("Yes, please")


def compacted() -> tuple[Talk, str, PipelineOutcome]:
    talk = session()
    covered = talk.messages[-1].uuid
    latest(talk)
    around = Surroundings(
        plan=Plan("/plans/tides.md", "1. read 2. write 3. check"),
        skills=(Skill("careful-tests", "Write the test first."),),
    )
    effects = Effects(
        read_notes=lambda: Notes(NOTES, "/s/session-memory/summary.md"),
        read_file=lambda path: FileText.whole(f"# {path} as it is now"),
        surroundings=around,
        transcript_path="/s/session.jsonl",
    )
    state = replace(PipelineState(), last_summarized=covered)
    return (
        talk,
        covered,
        run_pipeline(talk.messages, PipelineConfig(model=MODEL), state, now=START + TWO_HOURS, effects=effects),
    )


def test_it_is_compacted_by_its_notes_without_asking_a_model() -> None:
    _, _, outcome = compacted()
    assert outcome.report.tokens >= outcome.report.threshold == 167_000
    assert outcome.report.applied_mechanisms == ("auto-compact", "session memory")
    assert outcome.report.tokens_after < 30_000


def test_the_notes_come_first_then_the_latest_messages_then_what_is_needed_to_go_on() -> None:
    talk, covered, outcome = compacted()
    place = ids(talk.messages).index(covered)
    *kept_messages, unanswered = talk.messages[place + 1 :]
    boundary, summary, *rest, last = outcome.messages
    assert last is unanswered
    assert is_boundary(boundary)
    assert "never average two gauges" in texts([summary])[0]
    assert "/s/session.jsonl" in texts([summary])[0]
    assert all(left is right for left, right in zip(rest, kept_messages, strict=False))
    attachments = texts(rest[len(kept_messages) :])
    beginnings = [text.removeprefix("<system-reminder>\n").split("\n")[0] for text in attachments]
    read = "Called the Read tool with the following input: "
    assert beginnings[:5] == [f'{read}{{"file_path":"tides/part{number}.py"}}' for number in (23, 22, 21, 20, 19)]
    assert beginnings[5] == '<plan-file path="/plans/tides.md">'
    assert beginnings[6].startswith("The following skills were invoked EARLIER")


def test_the_file_of_the_kept_messages_is_not_attached_again() -> None:
    _, _, outcome = compacted()
    report = outcome.report.stage("session memory")
    assert report is not None
    assert not any("gauges.py" in text for text in texts(outcome.messages) if "Called the Read tool" in text)


def test_the_next_request_begins_with_the_same_bytes_and_the_api_takes_it() -> None:
    talk, _, outcome = compacted()
    talk.says("The second gauge stands in now.")
    talk.prompt("Good. And the tables?")
    loaded = PipelineState.from_bytes(outcome.state.to_bytes())
    second = run_pipeline(talk.messages, PipelineConfig(model=MODEL), loaded, now=START + TWO_HOURS + 60)
    assert second.array[: len(outcome.array) - 1] == outcome.array[:-1]
    assert second.report.stage("auto-compact") is not None
    assert second.compaction is None
    for array in (outcome.array, second.array):
        findings = lint_request({"model": MODEL, "max_tokens": 1_000, "messages": array})
        assert [finding for finding in findings if finding.severity is Severity.REFUSED] == []


def test_without_the_record_the_two_hours_are_back() -> None:
    talk, _, outcome = compacted()
    assert outcome.compaction is not None
    state = outcome.state.without_compaction(outcome.compaction.boundary.uuid)
    whole = run_pipeline(talk.messages, PipelineConfig(model=MODEL), state, now=START + TWO_HOURS)
    output: list[Message] = list(whole.messages)
    assert output == talk.messages
