"""The facts of a conversation: requests, files, commands, failures and what came next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.conversation.calls import Call, Result, calls_of, result_text, results_of
from compaction.mechanisms.engine.full.media import PLACEHOLDERS
from compaction.mechanisms.engine.guards.quotes import find_quoted_messages
from compaction.mechanisms.engine.mechanical.statements import rules_of
from compaction.mechanisms.engine.mechanical.text_fitting import to_one_line
from compaction.mechanisms.engine.microcompact.clearable import ALIASES
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import estimate

DONE = frozenset({"completed", "deleted"})
_NUMBER = re.compile(r"#(\d+)")
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
    """The text last written to it."""


@dataclass(frozen=True, slots=True)
class Command:
    text: str
    ending: str
    """How it ended."""


@dataclass(frozen=True, slots=True)
class Failure:
    call: str
    error: str
    followed_by: str
    """What came after it."""


@dataclass(frozen=True, slots=True)
class Facts:
    requests: tuple[str, ...] = ()
    """Every message of the user, word for word; first those that an earlier summary quotes."""
    earlier: str = ""
    """The latest summary among the messages."""
    rules: tuple[str, ...] = ()
    """The rules that earlier summaries state in words of their own."""
    files: tuple[FileUse, ...] = ()
    """The latest first."""
    commands: tuple[Command, ...] = ()
    failures: tuple[Failure, ...] = ()
    tasks: tuple[Task, ...] = ()
    tools: tuple[tuple[str, int], ...] = ()
    """The most used first."""
    last_answer: str = ""
    """The last words of the assistant."""
    latest_calls: tuple[str, ...] = ()
    """The latest calls."""
    is_unanswered: bool = False
    """The last request has had no answer yet."""
    characters: int = 0
    """The approximate length of the conversation."""


def facts_of(messages: Sequence[Message]) -> Facts:
    calls = calls_of(messages)
    results = {result.tool_use_id: result for result in results_of(messages)}
    ordered = sorted(calls.values(), key=lambda call: call.message_index)
    inputs = [
        index for index, message in enumerate(messages) if message.kind is MessageKind.PROMPT and text_of(message)
    ]
    spoken = [index for index, message in enumerate(messages) if message.role == "assistant" and text_of(message)]
    earlier = [text_of(message) for message in messages if message.kind is MessageKind.SUMMARY and text_of(message)]
    answered = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=-1)
    passed_on = [item.strip().strip(_QUOTES) for text in earlier for item in find_quoted_messages(text)]
    return Facts(
        requests=(*(item for item in passed_on if item), *(text_of(messages[index]) for index in inputs)),
        earlier=earlier[-1] if earlier else "",
        rules=tuple(dict.fromkeys(rule for text in earlier for rule in rules_of(text, passed_on))),
        files=_files(ordered),
        commands=tuple(
            Command(subject_of(call), describe_ending(results.get(call.id)))
            for call in ordered
            if ALIASES.get(call.name, call.name) in RUNNING
        ),
        failures=_failures(messages, ordered, results, inputs),
        tasks=tasks_of(ordered, results),
        tools=tuple(Counter(call.name for call in ordered).most_common()),
        last_answer=text_of(messages[spoken[-1]]) if spoken else "",
        latest_calls=tuple(
            f"{describe_call(call)}: {describe_ending(results.get(call.id))}" for call in ordered[-_LATEST:]
        ),
        is_unanswered=bool(inputs) and inputs[-1] > answered,
        characters=3 * estimate(messages),
    )


def text_of(message: Message) -> str:
    """The text of a message, without the placeholders of pictures."""
    texts = [block.get("text") for block in message.content if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str) and text not in PLACEHOLDERS.values()).strip()


def subject_of(call: Call) -> str:
    """What a call was about, in one line."""
    subject = next((value for key in _SUBJECTS if isinstance(value := call.input.get(key), str) and value), "")
    return to_one_line(subject)


def describe_call(call: Call) -> str:
    subject = subject_of(call)
    return f"{call.name} {subject}" if subject else call.name


def describe_ending(result: Result | None) -> str:
    if result is None:
        return "no result yet"
    if result.block.get("is_error") is not True:
        return "succeeded"
    code = _EXIT.search(result_text(result.block)[:200])
    return f"failed with exit code {code[1]}" if code else "failed"


def _files(calls: Sequence[Call]) -> tuple[FileUse, ...]:
    uses: dict[str, FileUse] = {}
    for call in calls:
        tool = ALIASES.get(call.name, call.name)
        path = next((call.input[key] for key in ("file_path", "notebook_path") if _is_text(call.input, key)), "")
        if not path or tool not in READING | CHANGING:
            continue
        earlier = uses.pop(path, FileUse(path))
        if tool in CHANGING:
            uses[path] = FileUse(path, earlier.reads, earlier.changes + 1, _written_text(call.input))
        else:
            uses[path] = FileUse(path, earlier.reads + 1, earlier.changes, earlier.latest)
    return tuple(reversed(uses.values()))


def _written_text(call_input: Mapping[str, Any]) -> str:
    edits = call_input.get("edits")
    if isinstance(edits, list) and edits and isinstance(edits[-1], Mapping):
        return _written_text(edits[-1])
    return next((call_input[key] for key in ("new_string", "content", "new_source") if _is_text(call_input, key)), "")


def _is_text(call_input: Mapping[str, Any], key: str) -> bool:
    return isinstance(call_input.get(key), str)


def _failures(
    messages: Sequence[Message], calls: Sequence[Call], results: Mapping[str, Result], inputs: Sequence[int]
) -> tuple[Failure, ...]:
    failures = []
    for call in calls:
        result = results.get(call.id)
        if result is None or result.block.get("is_error") is not True:
            continue
        later = next((other for other in calls if other.message_index > result.message_index), None)
        prompt_index = next((index for index in inputs if index > result.message_index), None)
        if prompt_index is not None and (later is None or prompt_index < later.message_index):
            followed_by = f"the user said: {to_one_line(text_of(messages[prompt_index]), 120)}"
        elif later is not None:
            followed_by = f"{describe_call(later)}: {describe_ending(results.get(later.id))}"
        else:
            followed_by = "nothing yet"
        failures.append(Failure(describe_call(call), to_one_line(result_text(result.block), 240), followed_by))
    return tuple(failures)


@dataclass(frozen=True, slots=True)
class Task:
    text: str
    status: str

    @property
    def is_open(self) -> bool:
        return self.status not in DONE


def tasks_of(calls: Sequence[Call], results: Mapping[str, Result]) -> tuple[Task, ...]:
    """TodoWrite gives the whole list each time; newer tools make tasks and change them one by one."""
    listed: dict[str, Task] = {}
    for call in calls:
        call_input = call.input
        if call.name == "TodoWrite" and isinstance(call_input.get("todos"), list):
            todos = [todo for todo in call_input["todos"] if isinstance(todo, Mapping)]
            listed = {f"todo {number}": _task(todo, "content") for number, todo in enumerate(todos)}
        elif call.name == "TaskCreate":
            result = results.get(call.id)
            number = _NUMBER.search(result_text(result.block)) if result is not None else None
            listed[number[1] if number else call.id] = _task(call_input, "subject")
        elif call.name == "TaskUpdate" and str(call_input.get("taskId")) in listed:
            earlier = listed[str(call_input.get("taskId"))]
            listed[str(call_input.get("taskId"))] = Task(
                to_one_line(str(call_input.get("subject") or earlier.text)),
                str(call_input.get("status") or earlier.status),
            )
    return tuple(task for task in listed.values() if task.text)


def _task(fields: Mapping[str, Any], key: str) -> Task:
    return Task(to_one_line(str(fields.get(key) or "")), str(fields.get("status") or "pending"))
