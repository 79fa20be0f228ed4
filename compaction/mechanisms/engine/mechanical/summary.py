"""Fills the nine sections of a summary from what is recorded. Every line that is not the user's own begins with a mark,
so that no quoted heading can be taken for one of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.prompt import SECTIONS, Variant
from compaction.mechanisms.engine.full.request import SummaryRequest
from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import Facts, FileUse, facts_of
from compaction.mechanisms.engine.mechanical.text_fitting import GAP, fit_texts, shorten, to_one_line
from sessions.transcripts.engine.messages import Message

LABEL = (
    "This summary was put together mechanically from the record, without a model: it quotes and lists, and judges "
    "nothing."
)
_TAG = re.compile(r"<\s*/?\s*summary\b[^<>]*>", re.IGNORECASE)
_NOTHING = "- None recorded."
_OWN_WORDS = 0.6
"""The share of the user's messages. What they leave is divided among the other sections."""
_SHARES = {"request": 0.12, "earlier": 0.16, "files": 0.24, "errors": 0.16, "commands": 0.1, "tasks": 0.06, "now": 0.08}


@dataclass(frozen=True, slots=True)
class MechanicalSummariser:
    """Answers a request for a summary from its messages, without a model."""

    config: MechanicalConfig = field(default_factory=MechanicalConfig)

    def __call__(self, request: SummaryRequest, /) -> str:
        messages = request.messages[:-1]  # the last is the instruction
        start = next((index for index, message in enumerate(messages) if message.uuid == request.begins_at), 0)
        return f"<summary>\n{self.text(messages[start:], request.variant)}\n</summary>"

    def text(self, messages: Sequence[Message], variant: Variant = Variant.FULL) -> str:
        return mechanical_summary(facts_of(messages), self.config, variant)


def mechanical_summary(facts: Facts, config: MechanicalConfig, variant: Variant = Variant.FULL) -> str:
    titles = [section.title for section in SECTIONS[variant]]
    room = config.room(facts.characters) - len(LABEL) - sum(len(title) + 6 for title in titles)
    user_lines = user_message_lines(facts.requests, int(room * _OWN_WORDS))
    left = room - sum(len(text) + 1 for text in user_lines)
    share = {name: int(left * part) for name, part in _SHARES.items()}
    bodies = [
        request_lines(facts, share["request"], share["earlier"]),
        concept_lines(facts),
        file_lines(facts.files, share["files"]),
        bullet_lines(
            (f"{item.call}: {item.error} Then {item.followed_by}." for item in facts.failures), share["errors"]
        ),
        bullet_lines((f"`{item.text}`: {item.ending}" for item in facts.commands), share["commands"]),
        user_lines,
        task_lines(facts, share["tasks"]),
        current_work_lines(facts, share["now"]),
        next_step_lines(facts, share["now"]),
    ]
    sections = [
        f"{number}. {title}:\n" + "\n".join(text if body is user_lines else f"   {text}" for text in body or [_NOTHING])
        for number, (title, body) in enumerate(zip(titles, bodies, strict=True), 1)
    ]
    # A tag in a quoted text would end the summary there.
    return _TAG.sub(GAP, "\n\n".join([LABEL, *sections]))


def user_message_lines(requests: Sequence[str], room: int) -> list[str]:
    """The messages as they were written, with a mark wherever something did not fit."""
    lines = []
    for text in fit_texts(requests, max(0, room - 6 * len(requests))):
        first, *more = text.splitlines() or [""]
        ends = ("", "") if text == GAP else ('"', '"')
        whole = [f"   - {ends[0]}{first}", *(f"     {each}" for each in more)]
        whole[-1] += ends[1]
        lines += whole
    return lines or ["   - None."]


def request_lines(facts: Facts, room: int, earlier: int) -> list[str]:
    lines = []
    if facts.earlier:
        lines += ["- What came before was summarised already:", *quote_lines(facts.earlier, earlier)]
    if facts.requests:
        lines += ["- The first request:", *quote_lines(facts.requests[0], room)]
    return lines


def concept_lines(facts: Facts) -> list[str]:
    names = (use.path.replace("\\", "/").rpartition("/")[2] for use in facts.files)
    endings = sorted({f".{name.rpartition('.')[2]}" for name in names if "." in name.strip(".")})
    lines = [f"- Kinds of files: {to_one_line(', '.join(endings), 120)}"] if endings else []
    tools = ", ".join(f"{name} ({count})" for name, count in facts.tools)
    return [*lines, f"- Tools called: {to_one_line(tools, 240)}"] if tools else lines


def file_lines(files: Sequence[FileUse], room: int) -> list[str]:
    """The latest files come with their latest change."""
    lines = bullet_lines((f"{use.path}: {_uses(use)}" for use in files), room)
    left = room - sum(map(len, lines))
    for use in files:
        if use.latest.strip() and left > 120:
            text = [f"- Written into {use.path} last:", *quote_lines(use.latest, min(left, 400))]
            left -= sum(map(len, text))
            lines += text
    return lines


def task_lines(facts: Facts, room: int) -> list[str]:
    waiting = [f"{task.text} ({task.status})" for task in facts.tasks if task.is_open]
    if facts.is_unanswered:
        waiting.append("The latest request has had no answer yet.")
    return bullet_lines(waiting, room)


def current_work_lines(facts: Facts, room: int) -> list[str]:
    lines = ["- The assistant said last:", *quote_lines(facts.last_answer, room // 2)] if facts.last_answer else []
    return [*lines, *bullet_lines(facts.latest_calls, room // 2)]


def next_step_lines(facts: Facts, room: int) -> list[str]:
    lines = [f"- In progress: {task.text}" for task in facts.tasks if task.status == "in_progress"][:1]
    if facts.requests:
        lines += ["- What was asked for last:", *quote_lines(facts.requests[-1], room)]
    return lines


def bullet_lines(texts: Iterable[str], room: int) -> list[str]:
    flat = [to_one_line(text, 400) for text in texts]
    return [f"- {text}" for text in fit_texts(flat, max(0, room - 2 * len(flat)))] if flat else []


def quote_lines(text: str, room: int) -> list[str]:
    return [f"> {each}".rstrip() for each in shorten(text, max(room, 40)).splitlines()]


def _uses(use: FileUse) -> str:
    parts = [("read", use.reads), ("changed", use.changes)]
    return ", ".join(f"{verb} {'once' if times == 1 else f'{times} times'}" for verb, times in parts if times)
