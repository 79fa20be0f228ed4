"""Todo tools, and the task tools that replaced them."""

from __future__ import annotations

from typing import Any

from sessions.timeline.engine.cards.card import Part, Todo, Todos
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import as_dict, as_dicts, as_list, as_text, as_word
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, drop_empty

_SHOWN = 12


def describe_todos(call: Call, lens: Lens) -> CallDescription:
    todos = as_dicts(call.input.get("todos")) or as_dicts(call.facts.get("newTodos"))
    completed = sum(item.get("status") == "completed" for item in todos)
    current = next(
        (as_text(item.get("activeForm")) or as_text(item.get("content")) for item in todos if _is_current(item)), ""
    )
    return CallDescription(
        lens.line(current), drop_empty(f"{completed} of {len(todos)} done" if todos else ""), todo_parts(todos, lens)
    )


def _is_current(item: dict[str, Any]) -> bool:
    return item.get("status") == "in_progress"


def todo_parts(todos: list[dict[str, Any]], lens: Lens) -> tuple[Part, ...]:
    if not todos:
        return ()
    limit = lens.item_limit(_SHOWN)
    if len(todos) > limit:
        lens.tally.cut = True
    rows = tuple(
        Todo(
            lens.line(as_text(item.get("content")) or as_text(item.get("subject")), lens.line_width(200)),
            lens.line(as_text(item.get("status")), 20),
        )
        for item in todos[:limit]
    )
    return (Todos(rows, max(0, len(todos) - limit)),)


def describe_create(call: Call, lens: Lens) -> CallDescription:
    task = as_word(as_dict(call.facts.get("task")).get("id"))
    return CallDescription(
        summary=lens.line(call.input_text("subject", "title", "description")),
        facts=drop_empty(f"task {lens.line(task, 20)}" if task else ""),
        parts=lens.plain(call.input_text("description"), BRIEF) if call.input_text("subject") else (),
    )


def describe_update(call: Call, lens: Lens) -> CallDescription:
    task = as_word(call.input.get("taskId")) or as_word(call.input.get("task_id"))
    change = as_dict(call.facts.get("statusChange"))
    before, after = as_text(change.get("from")), as_text(change.get("to")) or call.input_text("status")
    fields = [as_text(name) for name in as_list(call.facts.get("updatedFields"))]
    step = " → ".join(drop_empty(before, after))
    return CallDescription(
        summary=lens.line(" ".join(drop_empty(f"task {task}" if task else "", step, call.input_text("subject")))),
        facts=drop_empty(lens.line(", ".join(drop_empty(*fields)), 80) if fields != ["status"] else ""),
    )


def describe_overview(call: Call, lens: Lens) -> CallDescription:
    """TaskList, TaskGet, TodoRead: the tasks in the result."""
    tasks = as_dicts(call.facts.get("tasks")) or as_dicts([call.facts.get("task")])
    task = as_word(call.input.get("taskId"))
    return CallDescription(
        summary=lens.line(f"task {task}" if task else ""),
        parts=todo_parts(tasks, lens) or lens.output(call.text, OUTPUT),
    )
