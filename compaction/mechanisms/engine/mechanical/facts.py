"""What a conversation tells by itself: who asked for what, which files and commands, what failed and what came next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.conversation.calls import (
    Call,
    Result,
    calls_of,
    result_text,
    results_of,
)
from compaction.mechanisms.engine.full.media import PLACEHOLDERS
from compaction.mechanisms.engine.guards.quotes import find_quoted_messages
from compaction.mechanisms.engine.mechanical.tasks import Task, tasks_of
from compaction.mechanisms.engine.mechanical.text_fitting import line
from compaction.mechanisms.engine.microcompact.clearable import ALIASES
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import estimate

CHANGING = frozenset({"Edit", "Write", "NotebookEdit"})
READING = frozenset({"Read"})
RUNNING = frozenset({"Bash"})
_SUBJECTS = (
    "file_path",
    "notebook_path",
    "command",
    "pattern",
    "query",
    "url",
    "skill",
    "description",
    "path",
    "prompt",
)
_EXIT = re.compile(r"exit code:?\s+(-?\d+)", re.IGNORECASE)
_QUOTES = "\"'“”‘’«»„`"
_LATEST = 6
"""Calls that count as what is being done now."""


@dataclass(frozen=True, slots=True)
class FileUse:
    path: str
    reads: int = 0
    changes: int = 0
    latest: str = ""
    """What was written into it last."""


@dataclass(frozen=True, slots=True)
class Command:
    words: str
    end: str
    """How it ended."""


@dataclass(frozen=True, slots=True)
class Failure:
    what: str
    words: str
    then: str
    """What came after it."""


@dataclass(frozen=True, slots=True)
class Facts:
    requests: tuple[str, ...] = ()
    """Every message of the user, word for word; first those that an earlier summary has passed on."""
    earlier: str = ""
    """The latest summary among the messages."""
    files: tuple[FileUse, ...] = ()
    """The latest first."""
    commands: tuple[Command, ...] = ()
    failures: tuple[Failure, ...] = ()
    tasks: tuple[Task, ...] = ()
    tools: tuple[tuple[str, int], ...] = ()
    """The most used first."""
    said: str = ""
    """The last words of the assistant."""
    doing: tuple[str, ...] = ()
    """The latest calls."""
    unanswered: bool = False
    """The last request has had no answer yet."""
    characters: int = 0
    """How long all of it is, roughly."""


def facts_of(messages: Sequence[Message]) -> Facts:
    calls = calls_of(messages)
    results = {result.tool_use_id: result for result in results_of(messages)}
    ordered = sorted(calls.values(), key=lambda call: call.message_index)
    inputs = [at for at, message in enumerate(messages) if message.kind is MessageKind.PROMPT and words_of(message)]
    spoken = [at for at, message in enumerate(messages) if message.role == "assistant" and words_of(message)]
    earlier = [words_of(message) for message in messages if message.kind is MessageKind.SUMMARY and words_of(message)]
    answered = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=-1)
    passed_on = (item.strip().strip(_QUOTES) for text in earlier for item in find_quoted_messages(text))
    return Facts(
        requests=(*(item for item in passed_on if item), *(words_of(messages[at]) for at in inputs)),
        earlier=earlier[-1] if earlier else "",
        files=_files(ordered),
        commands=tuple(
            Command(subject_of(call), ending_of(results.get(call.id)))
            for call in ordered
            if ALIASES.get(call.name, call.name) in RUNNING
        ),
        failures=_failures(messages, ordered, results, inputs),
        tasks=tasks_of(ordered, results),
        tools=tuple(Counter(call.name for call in ordered).most_common()),
        said=words_of(messages[spoken[-1]]) if spoken else "",
        doing=tuple(f"{told_of(call)}: {ending_of(results.get(call.id))}" for call in ordered[-_LATEST:]),
        unanswered=bool(inputs) and inputs[-1] > answered,
        characters=3 * estimate(messages),
    )


def words_of(message: Message) -> str:
    """Its texts; what stands for a picture is none."""
    texts = [block.get("text") for block in message.content if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str) and text not in PLACEHOLDERS.values()).strip()


def subject_of(call: Call) -> str:
    """What a call was about, in one line."""
    given = next((value for key in _SUBJECTS if isinstance(value := call.input.get(key), str) and value), "")
    return line(given)


def told_of(call: Call) -> str:
    subject = subject_of(call)
    return f"{call.name} {subject}" if subject else call.name


def ending_of(result: Result | None) -> str:
    if result is None:
        return "no result yet"
    if result.block.get("is_error") is not True:
        return "succeeded"
    code = _EXIT.search(result_text(result.block)[:200])
    return f"failed with exit code {code[1]}" if code else "failed"


def _files(calls: Sequence[Call]) -> tuple[FileUse, ...]:
    found: dict[str, FileUse] = {}
    for call in calls:
        tool = ALIASES.get(call.name, call.name)
        path = next((call.input[key] for key in ("file_path", "notebook_path") if _is_text(call.input, key)), "")
        if not path or tool not in READING | CHANGING:
            continue
        known = found.pop(path, FileUse(path))
        if tool in CHANGING:
            found[path] = FileUse(path, known.reads, known.changes + 1, _written(call.input))
        else:
            found[path] = FileUse(path, known.reads + 1, known.changes, known.latest)
    return tuple(reversed(found.values()))


def _written(given: Mapping[str, Any]) -> str:
    edits = given.get("edits")
    if isinstance(edits, list) and edits and isinstance(edits[-1], Mapping):
        return _written(edits[-1])
    return next((given[key] for key in ("new_string", "content", "new_source") if _is_text(given, key)), "")


def _is_text(given: Mapping[str, Any], key: str) -> bool:
    return isinstance(given.get(key), str)


def _failures(
    messages: Sequence[Message], calls: Sequence[Call], results: Mapping[str, Result], inputs: Sequence[int]
) -> tuple[Failure, ...]:
    found = []
    for call in calls:
        result = results.get(call.id)
        if result is None or result.block.get("is_error") is not True:
            continue
        later = next((other for other in calls if other.message_index > result.message_index), None)
        said = next((at for at in inputs if at > result.message_index), None)
        if said is not None and (later is None or said < later.message_index):
            then = f"the user said: {line(words_of(messages[said]), 120)}"
        elif later is not None:
            then = f"{told_of(later)}: {ending_of(results.get(later.id))}"
        else:
            then = "nothing yet"
        found.append(Failure(told_of(call), line(result_text(result.block), 240), then))
    return tuple(found)
