"""The to-do list, as the tools that keep one left it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.conversation.calls import Call, Result, result_text
from compaction.mechanisms.engine.mechanical.text_fitting import to_one_line

DONE = frozenset({"completed", "deleted"})
_NUMBER = re.compile(r"#(\d+)")


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
