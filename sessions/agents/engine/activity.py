"""What an agent is doing, in three to five words: derived from its last call, or asked of a small model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from sessions.linking.engine.raw_fields import blocks, mapping, text
from sessions.text.engine.excerpt import excerpt
from sessions.weights.engine import estimate_text

SYSTEM = (
    "You label the progress of a coding agent for a status line. You get the last things that it said and did. You have"
    " no tools and need none."
)
INSTRUCTIONS = (
    "Say what this agent is doing right now.\n"
    "- Three to five words, in the present tense, beginning with a verb that ends in -ing.\n"
    "- Name the file, function or command that it works on, where there is one.\n"
    "- Only what the records show: no guesses, no full stop, no quotation marks.\n"
    "Answer with these words alone, for example: Reading the tide table parser"
)
MAX_WORDS = 8
"""Longer answers are cut: models are asked for five words and sometimes give a sentence."""
RECORDS = 12
PIECE_CHARS = 600
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
        return estimate_text(self.system) + estimate_text(self.prompt)


def describe_last_call(records: Sequence[Mapping[str, Any]]) -> str:
    """The last call in words; “Answering” if there is only text; empty if there is neither."""
    answer_blocks = [block for record in records if record.get("type") == "assistant" for block in blocks(record)]
    for block in reversed(answer_blocks):
        if block.get("type") == "tool_use":
            return describe_call(text(block.get("name")), mapping(block.get("input")))
    return "Answering" if any(text(block.get("text")).strip() for block in answer_blocks) else ""


def describe_call(name: str, arguments: Mapping[str, Any]) -> str:
    if name == "Bash" or name == "PowerShell":
        command = text(arguments.get("command")).split()
        object_name = next(
            (word for word in command if "=" not in word and word not in ("sudo", "cd", "&&", "env")), ""
        )
        return (
            f"Running {_shorten(PurePosixPath(object_name).name or object_name)}"
            if object_name
            else "Running a command"
        )
    object_name = next((value for key in _OBJECTS if (value := text(arguments.get(key)).strip())), "")
    verb = _VERBS.get(name, f"Calling {_shorten(name)}" if name else "Calling a tool")
    if name not in _VERBS:
        return verb
    return f"{verb} {_shorten(_file_name(object_name))}" if object_name else verb


def make_question(records: Sequence[Mapping[str, Any]], about: str = "", *, previous: str = "") -> Question:
    """`about`: the task of the agent. `previous`: the last answer about it."""
    lines = [f"Task: {_cut_line(about)}"] if about else []
    for record in records[-RECORDS:]:
        lines += _record_lines(record)
    records_text = "\n".join(lines) or "(nothing was recorded yet)"
    newer = f"\nLast time you said “{previous}”: say something newer if there is anything." if previous else ""
    return Question(SYSTEM, f"<records>\n{records_text}\n</records>\n\n{INSTRUCTIONS}{newer}")


def fork_question(previous: str) -> str:
    """For a fork of the agent, which has the whole conversation before it, and tools that it must not call."""
    newer = f" Last time the answer was “{previous}”: say something newer if there is anything." if previous else ""
    return f"This is a question beside your work: call no tool, and do not go on.\n{INSTRUCTIONS}{newer}"


def clean_answer(answer: str) -> str:
    """The words of an answer: one short line without quotes and full stop."""
    line = next((line.strip() for line in answer.splitlines() if line.strip(_QUOTES)), "")
    words = line.strip(_QUOTES).rstrip(".!…").strip(_QUOTES).split()
    return " ".join(words[:MAX_WORDS])


def _record_lines(record: Mapping[str, Any]) -> list[str]:
    speaker = {"assistant": "Agent", "user": "To the agent"}.get(text(record.get("type")), "")
    lines: list[str] = []
    for block in blocks(record) if speaker else ():
        kind = block.get("type")
        if kind == "text" and text(block.get("text")).strip():
            lines.append(f"{speaker}: {_cut_line(text(block.get('text')))}")
        elif kind == "tool_use":
            arguments = ", ".join(
                f"{name}={_cut_line(str(value), 160)}" for name, value in mapping(block.get("input")).items()
            )
            lines.append(f"Agent calls {text(block.get('name'))}({_cut_line(arguments)})")
        elif kind == "tool_result":
            failed = "failed" if block.get("is_error") is True else "result"
            lines.append(f"Tool {failed}: {_cut_line(_result_text(block.get('content')), 240)}")
    return lines


def _result_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return " ".join(text(mapping(part).get("text")) for part in parts)


def _file_name(path: str) -> str:
    """The file name of a path; anything else as it is."""
    if "://" in path or " " in path:
        return path
    name = PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
    return name or path


def _shorten(words: str) -> str:
    return _cut_line(words, 48)


def _cut_line(words: str, limit: int = PIECE_CHARS) -> str:
    return excerpt(words[: 4 * limit], limit)
