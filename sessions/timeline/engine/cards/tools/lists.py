"""Lists of work: todos, and the task tools that took their place."""

from __future__ import annotations

from typing import Any

from sessions.timeline.engine.cards.card import Part, Todo, Todos
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import (
    items,
    table,
    tables,
    text,
    word,
)
from sessions.timeline.engine.cards.tools.call import Call, Sketch, known

_SHOWN = 12


def todos(call: Call, lens: Lens) -> Sketch:
    listed = tables(call.input.get("todos")) or tables(call.facts.get("newTodos"))
    done = sum(item.get("status") == "completed" for item in listed)
    doing = next(
        (text(item.get("activeForm")) or text(item.get("content")) for item in listed if _is_current(item)), ""
    )
    return Sketch(lens.line(doing), known(f"{done} of {len(listed)} done" if listed else ""), listing(listed, lens))


def _is_current(item: dict[str, Any]) -> bool:
    return item.get("status") == "in_progress"


def listing(listed: list[dict[str, Any]], lens: Lens) -> tuple[Part, ...]:
    if not listed:
        return ()
    limit = lens.few(_SHOWN)
    if len(listed) > limit:
        lens.tally.cut = True
    rows = tuple(
        Todo(
            lens.line(text(item.get("content")) or text(item.get("subject")), lens.width(200)),
            lens.line(text(item.get("status")), 20),
        )
        for item in listed[:limit]
    )
    return (Todos(rows, max(0, len(listed) - limit)),)


def create(call: Call, lens: Lens) -> Sketch:
    made = word(table(call.facts.get("task")).get("id"))
    return Sketch(
        summary=lens.line(call.given("subject", "title", "description")),
        facts=known(f"task {lens.line(made, 20)}" if made else ""),
        parts=lens.plain(call.given("description"), BRIEF) if call.given("subject") else (),
    )


def update(call: Call, lens: Lens) -> Sketch:
    task = word(call.input.get("taskId")) or word(call.input.get("task_id"))
    change = table(call.facts.get("statusChange"))
    before, after = text(change.get("from")), text(change.get("to")) or call.given("status")
    fields = [text(name) for name in items(call.facts.get("updatedFields"))]
    step = " → ".join(known(before, after))
    return Sketch(
        summary=lens.line(" ".join(known(f"task {task}" if task else "", step, call.given("subject")))),
        facts=known(lens.line(", ".join(known(*fields)), 80) if fields != ["status"] else ""),
    )


def overview(call: Call, lens: Lens) -> Sketch:
    """TaskList and TaskGet: what they answered."""
    listed = tables(call.facts.get("tasks")) or tables([call.facts.get("task")])
    task = word(call.input.get("taskId"))
    return Sketch(
        summary=lens.line(f"task {task}" if task else ""),
        parts=listing(listed, lens) or lens.output(call.text, OUTPUT),
    )
