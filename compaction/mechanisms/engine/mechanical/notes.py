"""The ten sections of session notes out of the record, for when no model takes them."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import facts_of
from compaction.mechanisms.engine.mechanical.summary import (
    bulleted,
    concept_lines,
    doing_lines,
    file_lines,
    request_lines,
    task_lines,
)
from compaction.mechanisms.engine.mechanical.text_fitting import fitted, line
from memory.notes.engine import TITLES
from sessions.transcripts.engine.messages import Message

LABEL = "These notes were taken mechanically from the record, without a model."


def notes_sections(messages: Sequence[Message], config: MechanicalConfig | None = None) -> dict[str, str]:
    """Title -> content, in the order of the template. What only a judgement could fill stays empty."""
    config = config or MechanicalConfig()
    facts = facts_of(messages)
    room = config.room(facts.characters) // len(TITLES)
    runs = dict.fromkeys(command.words for command in facts.commands if command.end == "succeeded")
    done = [f"{task.words} ({task.status})" for task in facts.tasks if not task.open]
    bodies: dict[str, Sequence[str]] = {
        "Session Title": [line(facts.requests[0], 80)] if facts.requests else [],
        "Current State": [f"- {LABEL}", *task_lines(facts, room // 2), *doing_lines(facts, room // 2)],
        "Task specification": request_lines(facts, room, room // 2),
        "Files and Functions": file_lines(facts.files, room),
        "Workflow": bulleted((f"`{words}`" for words in runs), room),
        "Errors & Corrections": bulleted((f"{one.what}: {one.words} Then {one.then}." for one in facts.failures), room),
        "Codebase and System Documentation": concept_lines(facts),
        "Learnings": [],
        "Key results": bulleted(done, room),
        "Worklog": [f"- {text}" for text in fitted([line(text, 200) for text in facts.requests], room)],
    }
    return {title: "\n".join(bodies[title]) for title in TITLES}
