"""Fills the ten sections of session notes from the records, if no model takes notes."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import facts_of
from compaction.mechanisms.engine.mechanical.summary import (
    bullet_lines,
    concept_lines,
    current_work_lines,
    file_lines,
    request_lines,
    task_lines,
)
from compaction.mechanisms.engine.mechanical.text_fitting import fit_texts, to_one_line
from memory.notes.engine import TITLES
from sessions.transcripts.engine.messages import Message

LABEL = "These notes were taken mechanically from the record, without a model."


def notes_sections(messages: Sequence[Message], config: MechanicalConfig | None = None) -> dict[str, str]:
    """Contents by title, in the order of the template. Sections that take judgement stay empty."""
    config = config or MechanicalConfig()
    facts = facts_of(messages)
    room = config.room(facts.characters) // len(TITLES)
    commands = dict.fromkeys(command.text for command in facts.commands if command.ending == "succeeded")
    finished = [f"{task.text} ({task.status})" for task in facts.tasks if not task.is_open]
    bodies: dict[str, Sequence[str]] = {
        "Session Title": [to_one_line(facts.requests[0], 80)] if facts.requests else [],
        "Current State": [f"- {LABEL}", *task_lines(facts, room // 2), *current_work_lines(facts, room // 2)],
        "Task specification": request_lines(facts, room, room // 2),
        "Files and Functions": file_lines(facts.files, room),
        "Workflow": bullet_lines((f"`{words}`" for words in commands), room),
        "Errors & Corrections": bullet_lines(
            (f"{failure.call}: {failure.error} Then {failure.followed_by}." for failure in facts.failures), room
        ),
        "Codebase and System Documentation": concept_lines(facts),
        "Learnings": [],
        "Key results": bullet_lines(finished, room),
        "Worklog": [f"- {text}" for text in fit_texts([to_one_line(text, 200) for text in facts.requests], room)],
    }
    return {title: "\n".join(bodies[title]) for title in TITLES}
