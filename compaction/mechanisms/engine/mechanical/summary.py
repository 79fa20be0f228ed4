"""The nine sections out of the record. Every line that is not the user's own begins with a mark, so that no quoted
heading can be taken for one of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.prompt import SECTIONS, Variant
from compaction.mechanisms.engine.full.request import SummaryRequest
from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import Facts, FileUse, facts_of
from compaction.mechanisms.engine.mechanical.text_fitting import (
    GAP,
    fitted,
    line,
    shortened,
)
from sessions.transcripts.engine.messages import Message

LABEL = (
    "This summary was put together mechanically from the record, without a model: it quotes and lists, and judges "
    "nothing."
)
_TAG = re.compile(r"<\s*/?\s*summary\b[^<>]*>", re.IGNORECASE)
_NOTHING = "- None recorded."
_OWN_WORDS = 0.6
"""Of the whole, for the messages of the user. What they leave is divided among the others:"""
_SHARES = {"request": 0.12, "earlier": 0.16, "files": 0.24, "errors": 0.16, "commands": 0.1, "tasks": 0.06, "now": 0.08}


@dataclass(frozen=True, slots=True)
class Mechanical:
    config: MechanicalConfig = field(default_factory=MechanicalConfig)

    def __call__(self, request: SummaryRequest, /) -> str:
        messages = request.messages[:-1]  # the last is the instruction
        begin = next((at for at, message in enumerate(messages) if message.uuid == request.begins_at), 0)
        return f"<summary>\n{self.text(messages[begin:], request.variant)}\n</summary>"

    def text(self, messages: Sequence[Message], variant: Variant = Variant.FULL) -> str:
        return mechanical_summary(facts_of(messages), self.config, variant)


def mechanical_summary(facts: Facts, config: MechanicalConfig, variant: Variant = Variant.FULL) -> str:
    titles = [section.title for section in SECTIONS[variant]]
    room = config.room(facts.characters) - len(LABEL) - sum(len(title) + 6 for title in titles)
    said = said_lines(facts.requests, int(room * _OWN_WORDS))
    left = room - sum(len(text) + 1 for text in said)
    share = {name: int(left * part) for name, part in _SHARES.items()}
    bodies = [
        request_lines(facts, share["request"], share["earlier"]),
        concept_lines(facts),
        file_lines(facts.files, share["files"]),
        bulleted((f"{one.what}: {one.words} Then {one.then}." for one in facts.failures), share["errors"]),
        bulleted((f"`{one.words}`: {one.end}" for one in facts.commands), share["commands"]),
        said,
        task_lines(facts, share["tasks"]),
        doing_lines(facts, share["now"]),
        next_lines(facts, share["now"]),
    ]
    sections = [
        f"{number}. {title}:\n" + "\n".join(text if body is said else f"   {text}" for text in body or [_NOTHING])
        for number, (title, body) in enumerate(zip(titles, bodies, strict=True), 1)
    ]
    # A tag in a quoted text would end the summary there.
    return _TAG.sub(GAP, "\n\n".join([LABEL, *sections]))


def said_lines(requests: Sequence[str], room: int) -> list[str]:
    """As they were written; what does not fit is a gap, and a gap is marked."""
    lines = []
    for text in fitted(requests, max(0, room - 6 * len(requests))):
        first, *more = text.splitlines() or [""]
        ends = ("", "") if text == GAP else ('"', '"')
        whole = [f"   - {ends[0]}{first}", *(f"     {each}" for each in more)]
        whole[-1] += ends[1]
        lines += whole
    return lines or ["   - None."]


def request_lines(facts: Facts, room: int, earlier: int) -> list[str]:
    lines = []
    if facts.earlier:
        lines += ["- What came before was summarised already:", *quoted(facts.earlier, earlier)]
    if facts.requests:
        lines += ["- The first request:", *quoted(facts.requests[0], room)]
    return lines


def concept_lines(facts: Facts) -> list[str]:
    names = (use.path.replace("\\", "/").rpartition("/")[2] for use in facts.files)
    endings = sorted({f".{name.rpartition('.')[2]}" for name in names if "." in name.strip(".")})
    lines = [f"- Kinds of files: {line(', '.join(endings), 120)}"] if endings else []
    tools = ", ".join(f"{name} ({count})" for name, count in facts.tools)
    return [*lines, f"- Tools called: {line(tools, 240)}"] if tools else lines


def file_lines(files: Sequence[FileUse], room: int) -> list[str]:
    """The latest get their latest change with them."""
    told = bulleted((f"{use.path}: {_uses(use)}" for use in files), room)
    left = room - sum(map(len, told))
    for use in files:
        if use.latest.strip() and left > 120:
            text = [f"- Written into {use.path} last:", *quoted(use.latest, min(left, 400))]
            left -= sum(map(len, text))
            told += text
    return told


def task_lines(facts: Facts, room: int) -> list[str]:
    waiting = [f"{task.words} ({task.status})" for task in facts.tasks if task.open]
    if facts.unanswered:
        waiting.append("The latest request has had no answer yet.")
    return bulleted(waiting, room)


def doing_lines(facts: Facts, room: int) -> list[str]:
    said = ["- The assistant said last:", *quoted(facts.said, room // 2)] if facts.said else []
    return [*said, *bulleted(facts.doing, room // 2)]


def next_lines(facts: Facts, room: int) -> list[str]:
    lines = [f"- In progress: {task.words}" for task in facts.tasks if task.status == "in_progress"][:1]
    if facts.requests:
        lines += ["- What was asked for last:", *quoted(facts.requests[-1], room)]
    return lines


def bulleted(texts: Iterable[str], room: int) -> list[str]:
    flat = [line(text, 400) for text in texts]
    return [f"- {text}" for text in fitted(flat, max(0, room - 2 * len(flat)))] if flat else []


def quoted(text: str, room: int) -> list[str]:
    return [f"> {each}".rstrip() for each in shortened(text, max(room, 40)).splitlines()]


def _uses(use: FileUse) -> str:
    parts = [("read", use.reads), ("changed", use.changes)]
    return ", ".join(f"{what} {'once' if times == 1 else f'{times} times'}" for what, times in parts if times)
