from __future__ import annotations

from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.full.standing_instructions import compact_headings
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import Talk, texts

FILE = (
    "<system-reminder>\nContents of /w/CLAUDE.md:\n\n# Tides\n\n## Compact instructions\n\nKeep every SQL statement."
    "\n\n## Compactor hardware\n\n### Summaries ###\n</system-reminder>"
)


def conversation() -> list[Message]:
    talk = Talk()
    talk.prompt("# Compact instructions\n in CLAUDE.md: none of mine")
    for number in range(20):
        talk.reads(f"{number}.py", "x" * 2_000, says="looking")
    talk.says("done")
    return [Message("user", (text_block(FILE),), MessageKind.INJECTED, "opening"), *talk.messages]


def test_sections_about_summaries_are_found_in_instruction_files_alone() -> None:
    assert compact_headings(conversation()) == ("Compact instructions", "Summaries")


def test_they_are_pointed_out_to_whoever_writes_the_summary_and_the_report_says_so() -> None:
    model = Model()
    outcome = full_compact(conversation(), model)
    text = texts([model.requests[0].messages[-1]])[0]
    assert 'Here it stands under "Compact instructions", "Summaries".' in text
    assert "CLAUDE.md says how to summarise (“Compact instructions”, “Summaries”)" in outcome.report.why


def test_without_any_nothing_is_reported() -> None:
    model = Model()
    outcome = full_compact(conversation()[1:], model)
    assert "Here it stands under" not in texts([model.requests[0].messages[-1]])[0]
    assert "CLAUDE.md" not in outcome.report.why
