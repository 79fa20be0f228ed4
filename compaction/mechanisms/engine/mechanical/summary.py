"""Fills the nine sections of a summary from the records. Every line that is not the user's own begins with a mark, so
that no quoted heading can be mistaken for ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.full.prompt import SECTIONS, Variant
from compaction.mechanisms.engine.full.request import SummaryRequest
from compaction.mechanisms.engine.mechanical.config import MechanicalConfig
from compaction.mechanisms.engine.mechanical.facts import Facts, FileUse, facts_of
from compaction.mechanisms.engine.mechanical.statements import LABEL, RULES, length_of, quote_statements
from compaction.mechanisms.engine.mechanical.text_fitting import GAP, fit_texts, shorten, to_one_line
from sessions.transcripts.engine.messages import Message

_TAG = re.compile(r"<\s*/?\s*summary\b[^<>]*>", re.IGNORECASE)
_NOTHING = "- None recorded."
_OWN_WORDS = 5
"""The section of the user's messages, counted from zero."""
_QUOTED_WHOLE = 0.6
"""The share up to which the user's messages are quoted whole. What matters most in them may take more."""
_LISTS = 0.15
"""The share that is left to the other sections in any case."""
_NARROW = 4_000
"""In less room only the user's words are sure of a place, and empty sections are left out."""
_SHARES = {
    "request": 0.26,
    "concepts": 0.08,
    "files": 0.2,
    "errors": 0.16,
    "commands": 0.08,
    "tasks": 0.06,
    "now": 0.08,
    "next": 0.08,
}
"""Of what the user's words leave."""


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
    """At most as long as the configuration allows."""
    titles = [section.title for section in SECTIONS[variant]]
    headings = [len(f"\n\n{number}. {title}:\n") for number, title in enumerate(titles, 1)]
    # The last line has no end of line.
    room = config.room(facts.characters, len(facts.earlier)) + 1 - len(LABEL) - headings.pop(_OWN_WORDS)
    is_narrow = room < _NARROW
    if not is_narrow:
        room -= sum(headings) + len(headings) * len(_NOTHING)
        headings = [0] * len(headings)
    reserve = max(0 if is_narrow else int(room * _LISTS), min(length_of(rule_lines(facts)), room // 2))
    own_words = quote_statements(facts.requests, room - reserve, int(room * _QUOTED_WHOLE))
    bodies = _lists(facts, room - length_of(own_words), headings)
    left = room - sum(length_of(body) + heading for body, heading in zip(bodies, headings, strict=True) if body)
    bodies.insert(_OWN_WORDS, quote_statements(facts.requests, left, left) or [_NOTHING])
    shown = [(title, body or [_NOTHING]) for title, body in zip(titles, bodies, strict=True) if body or not is_narrow]
    sections = [f"{number}. {title}:\n" + "\n".join(body) for number, (title, body) in enumerate(shown, 1)]
    # A tag in a quoted text would end the summary there.
    return _TAG.sub(GAP, "\n\n".join([LABEL, *sections]))


def _lists(facts: Facts, room: int, headings: Sequence[int]) -> list[list[str]]:
    """The bodies of all sections but the user's words, each within its share of the room, heading included."""
    rules = length_of(rule_lines(facts))
    share = {name: int(max(0, room - rules) * part) for name, part in _SHARES.items()}
    share["request"] += rules
    failures = (f"{item.call}: {item.error} Then {item.followed_by}." for item in facts.failures)
    commands = (f"`{item.text}`: {item.ending}" for item in facts.commands)
    bodies = {
        "request": request_lines(facts, int(room * 0.1), int(room * 0.14)),
        "concepts": concept_lines(facts),
        "files": file_lines(facts.files, share["files"]),
        "errors": bullet_lines(failures, share["errors"]),
        "commands": bullet_lines(commands, share["commands"]),
        "tasks": task_lines(facts, share["tasks"]),
        "now": current_work_lines(facts, share["now"]),
        "next": next_step_lines(facts, share["next"]),
    }
    return [_fit(body, share[name] - heading) for (name, body), heading in zip(bodies.items(), headings, strict=True)]


def _fit(lines: Sequence[str], room: int) -> list[str]:
    """As many of the lines as fit. A heading or a gap does not stand last."""
    fitting: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    while fitting and len(fitting) < len(lines) and fitting[-1].endswith((":", GAP)):
        fitting.pop()
    return fitting


def rule_lines(facts: Facts) -> list[str]:
    return [RULES, *(f"> {to_one_line(rule, 600)}" for rule in facts.rules)] if facts.rules else []


def request_lines(facts: Facts, room: int, earlier: int) -> list[str]:
    lines = rule_lines(facts)
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
