"""The list of things to do, as the tools that keep one left it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.conversation.calls import Call, Result, result_text
from compaction.mechanisms.engine.mechanical.text_fitting import line

DONE = frozenset({"completed", "deleted"})
_NUMBER = re.compile(r"#(\d+)")


@dataclass(frozen=True, slots=True)
class Task:
    words: str
    status: str

    @property
    def open(self) -> bool:
        return self.status not in DONE


def tasks_of(calls: Sequence[Call], results: Mapping[str, Result]) -> tuple[Task, ...]:
    """TodoWrite gives the whole list each time; newer tools make tasks and change them one by one."""
    listed: dict[str, Task] = {}
    for call in calls:
        given = call.input
        if call.name == "TodoWrite" and isinstance(given.get("todos"), list):
            todos = [todo for todo in given["todos"] if isinstance(todo, Mapping)]
            listed = {f"todo {number}": _task(todo, "content") for number, todo in enumerate(todos)}
        elif call.name == "TaskCreate":
            result = results.get(call.id)
            number = _NUMBER.search(result_text(result.block)) if result is not None else None
            listed[number[1] if number else call.id] = _task(given, "subject")
        elif call.name == "TaskUpdate" and str(given.get("taskId")) in listed:
            known = listed[str(given.get("taskId"))]
            listed[str(given.get("taskId"))] = Task(
                line(str(given.get("subject") or known.words)), str(given.get("status") or known.status)
            )
    return tuple(task for task in listed.values() if task.words)


def _task(given: Mapping[str, Any], key: str) -> Task:
    return Task(line(str(given.get(key) or "")), str(given.get("status") or "pending"))
