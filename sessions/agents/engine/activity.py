"""What an agent is doing, in three to five words: put together from its last call, or asked of a small model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from sessions.linking.engine.raw_fields import blocks, mapping, text
from sessions.usage.engine.tokens import estimate_blocks

SYSTEM = (
    "You label the progress of a coding agent for a status line. You get the last things that it said and did. You have"
    " no tools and need none."
)
ASKED = (
    "Say what this agent is doing right now.\n"
    "- Three to five words, in the present tense, beginning with a verb that ends in -ing.\n"
    "- Name the file, function or command that it works on, where there is one.\n"
    "- Only what the records show: no guesses, no full stop, no quotation marks.\n"
    "Answer with these words alone, for example: Reading the tide table parser"
)
MOST_WORDS = 8
"""A model that was asked for five and gave a sentence is cut here."""
RECORDS = 12
PIECE = 600
ANSWER_TOKENS = 40
_VERBS = {
    "Read": "Reading",
    "NotebookRead": "Reading",
    "Edit": "Editing",
    "MultiEdit": "Editing",
    "NotebookEdit": "Editing",
    "Write": "Writing",
    "Grep": "Searching for",
    "Glob": "Looking for",
    "LS": "Listing",
    "WebFetch": "Fetching",
    "WebSearch": "Searching the web for",
    "Agent": "Starting",
    "Task": "Starting",
    "SendMessage": "Writing to",
    "Skill": "Using",
    "ToolSearch": "Looking for",
}
_OBJECTS = ("file_path", "notebook_path", "path", "pattern", "url", "query", "description", "to", "recipient", "skill")
_QUOTES = "\"'`“”‘’«»*_ "


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked about one agent."""

    system: str
    prompt: str

    @property
    def tokens(self) -> int:
        return estimate_blocks([{"type": "text", "text": self.system}, {"type": "text", "text": self.prompt}])


def mechanical(records: Sequence[Mapping[str, Any]]) -> str:
    """The last call in words; “Answering” where none is among them. Empty if nothing was said either."""
    said = [block for record in records if record.get("type") == "assistant" for block in blocks(record)]
    for block in reversed(said):
        if block.get("type") == "tool_use":
            return called(text(block.get("name")), mapping(block.get("input")))
    return "Answering" if any(text(block.get("text")).strip() for block in said) else ""


def called(name: str, given: Mapping[str, Any]) -> str:
    if name == "Bash" or name == "PowerShell":
        command = text(given.get("command")).split()
        what = next((word for word in command if "=" not in word and word not in ("sudo", "cd", "&&", "env")), "")
        return f"Running {_short(PurePosixPath(what).name or what)}" if what else "Running a command"
    what = next((found for one in _OBJECTS if (found := text(given.get(one)).strip())), "")
    verb = _VERBS.get(name, f"Calling {_short(name)}" if name else "Calling a tool")
    if name not in _VERBS:
        return verb
    return f"{verb} {_short(_named(what))}" if what else verb


def question(records: Sequence[Mapping[str, Any]], about: str = "", *, before: str = "") -> Question:
    """`about`: what the agent was started for. `before`: what it was said to do when it was asked last."""
    lines = [f"Task: {_cut(about)}"] if about else []
    for record in records[-RECORDS:]:
        lines += _told(record)
    said = "\n".join(lines) or "(nothing was recorded yet)"
    newer = f"\nLast time you said “{before}”: say something newer if there is anything." if before else ""
    return Question(SYSTEM, f"<records>\n{said}\n</records>\n\n{ASKED}{newer}")


def tidy(answer: str) -> str:
    """The words of an answer: one line, no quotes, no full stop, and not many more than were asked for."""
    line = next((one.strip() for one in answer.splitlines() if one.strip(_QUOTES)), "")
    words = line.strip(_QUOTES).rstrip(".!…").strip(_QUOTES).split()
    return " ".join(words[:MOST_WORDS])


def _told(record: Mapping[str, Any]) -> list[str]:
    who = {"assistant": "Agent", "user": "To the agent"}.get(text(record.get("type")), "")
    lines: list[str] = []
    for block in blocks(record) if who else ():
        kind = block.get("type")
        if kind == "text" and text(block.get("text")).strip():
            lines.append(f"{who}: {_cut(text(block.get('text')))}")
        elif kind == "tool_use":
            given = ", ".join(f"{name}={_cut(str(value), 160)}" for name, value in mapping(block.get("input")).items())
            lines.append(f"Agent calls {text(block.get('name'))}({_cut(given)})")
        elif kind == "tool_result":
            failed = "failed" if block.get("is_error") is True else "result"
            lines.append(f"Tool {failed}: {_cut(_result(block.get('content')), 240)}")
    return lines


def _result(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return " ".join(text(mapping(part).get("text")) for part in parts)


def _named(what: str) -> str:
    """The file of a path; anything else as it is."""
    if "://" in what or " " in what:
        return what
    plain = PureWindowsPath(what).name if "\\" in what else PurePosixPath(what).name
    return plain or what


def _short(words: str) -> str:
    return _cut(words, 48)


def _cut(words: str, most: int = PIECE) -> str:
    flat = re.sub(r"\s+", " ", words[: 4 * most]).strip()
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
