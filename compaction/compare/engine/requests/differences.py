"""Differences of two requests: parameters, cache marks, tools, and blocks of the system prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from compaction.cache.engine.requests.prompt import SentMark, sent_marks
from sessions.context.engine import Context
from sessions.linking.engine.raw_fields import text
from sessions.text.engine.matching import common_ends
from sessions.timeline.engine.cards.value_text import format_value
from sessions.usage.engine.billing_header import BILLING

DifferenceStatus = Literal["same", "changed", "added", "removed", "moved"]
_LONG = 400_000
ON_DEMAND = "loaded on demand: it is no part of the prompt"
HEADER = "the client's billing header: it is no part of the cache's key"


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A parameter, a cache mark, a tool or a block of the system prompt."""

    name: str
    status: DifferenceStatus
    before: str = ""
    after: str = ""
    note: str = ""
    """Why a change of it may be without effect."""

    @property
    def chars(self) -> int:
        return len(self.after) - len(self.before)


@dataclass(frozen=True, slots=True)
class RequestPart:
    name: Literal["params", "marks", "tools", "system", "messages"]
    rows: tuple[DifferenceRow, ...]
    unknown: str = ""
    """Why they cannot be compared."""

    @property
    def changes(self) -> tuple[DifferenceRow, ...]:
        return tuple(row for row in self.rows if row.status != "same")

    def of(self, status: DifferenceStatus) -> int:
        return sum(row.status == status for row in self.rows)


def compare_setups(before: Context, after: Context) -> tuple[RequestPart, ...]:
    """Parameters, cache marks, tools, system prompt."""
    old, new = before.setup, after.setup
    marks = _marks(sent_marks(old), sent_marks(new))
    return _params(before, after), marks, _tools(old.tools, new.tools), _system(old.system, new.system)


def _marks(old: Mapping[str, SentMark] | None, new: Mapping[str, SentMark] | None) -> RequestPart:
    """The mark among the messages moves with every request, so moving is not a change."""
    if old is None or new is None:
        return RequestPart(
            "marks", (), _why_empty("cache marks", known_before=old is not None, known_after=new is not None)
        )
    return RequestPart("marks", tuple(_mark(old.get(place), new.get(place)) for place in dict.fromkeys([*old, *new])))


def _mark(old: SentMark | None, new: SentMark | None) -> DifferenceRow:
    path = new.path if new is not None else old.path if old is not None else ""
    before, after = ("" if mark is None else format_value(dict(mark.value), _LONG) for mark in (old, new))
    status: DifferenceStatus = (
        "added" if old is None else "removed" if new is None else "same" if old.value == new.value else "changed"
    )
    return DifferenceRow(path, status, before, after)


def _params(before: Context, after: Context) -> RequestPart:
    model = DifferenceRow("model", "same" if before.model == after.model else "changed", before.model, after.model)
    old, new = before.setup.params, after.setup.params
    if not old or not new:
        return RequestPart("params", (model,), _why_empty("parameters", known_before=bool(old), known_after=bool(new)))
    names = [name for name in dict.fromkeys([*old, *new]) if name != "model"]
    return RequestPart("params", (model, *(_param(name, old, new) for name in names)))


def _param(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> DifferenceRow:
    before, after = (_value(params[name]) if name in params else "" for params in (old, new))
    if name not in old:
        return DifferenceRow(name, "added", before, after)
    if name not in new:
        return DifferenceRow(name, "removed", before, after)
    return DifferenceRow(name, "same" if old[name] == new[name] else "changed", before, after)


def _value(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return format_value(value, _LONG)


def _tools(old: Sequence[Mapping[str, Any]] | None, new: Sequence[Mapping[str, Any]] | None) -> RequestPart:
    if old is None or new is None:
        why = _why_empty("definitions of the tools", known_before=old is not None, known_after=new is not None)
        return RequestPart("tools", (), why)
    former = {_name(tool): tool for tool in old}
    latter = {_name(tool): tool for tool in new}
    rows = [_tool(name, former.get(name), tool) for name, tool in latter.items()]
    rows += [_removed_tool(name, tool) for name, tool in former.items() if name not in latter]
    shared = [[name for name in tools if name in former and name in latter] for tools in (former, latter)]
    if shared[0] != shared[1] and all(row.status == "same" for row in rows):
        rows = [_mark_moved(row, shared[0], shared[1]) for row in rows]
    return RequestPart("tools", tuple(rows))


def _removed_tool(name: str, tool: Mapping[str, Any]) -> DifferenceRow:
    return DifferenceRow(
        name, "removed", format_value(dict(tool), _LONG), "", ON_DEMAND if tool.get("defer_loading") is True else ""
    )


def _mark_moved(row: DifferenceRow, before: list[str], after: list[str]) -> DifferenceRow:
    """The order of the tools is part of the key too."""
    return (
        row
        if before.index(row.name) == after.index(row.name)
        else DifferenceRow(row.name, "moved", row.before, row.after)
    )


def _name(tool: Mapping[str, Any]) -> str:
    return text(tool.get("name")) or text(tool.get("type")) or "unnamed"


def _tool(name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> DifferenceRow:
    note = ON_DEMAND if new.get("defer_loading") is True else ""
    if old is None:
        return DifferenceRow(name, "added", "", format_value(dict(new), _LONG), note)
    if old == new:
        return DifferenceRow(name, "same")
    return DifferenceRow(name, "changed", format_value(dict(old), _LONG), format_value(dict(new), _LONG), note)


def _system(old: Sequence[Mapping[str, Any]] | None, new: Sequence[Mapping[str, Any]] | None) -> RequestPart:
    """Blocks are paired by their place, counted from the nearer end that is the same."""
    if old is None or new is None:
        return RequestPart(
            "system", (), _why_empty("system prompt", known_before=old is not None, known_after=new is not None)
        )
    left, right = [_words(block) for block in old], [_words(block) for block in new]
    head, tail = common_ends(left, right)
    rows = [DifferenceRow(f"block {index + 1}", "same") for index in range(head)]
    for index in range(max(len(left), len(right)) - head - tail):
        old_words = left[head + index] if head + index < len(left) - tail else None
        new_words = right[head + index] if head + index < len(right) - tail else None
        status: DifferenceStatus = "added" if old_words is None else "removed" if new_words is None else "changed"
        note = HEADER if (old_words or new_words or "").startswith(BILLING) else ""
        rows.append(DifferenceRow(f"block {head + index + 1}", status, old_words or "", new_words or "", note))
    rows += [DifferenceRow(f"block {index + 1}", "same") for index in range(len(right) - tail, len(right))]
    return RequestPart("system", tuple(rows))


def _words(block: Mapping[str, Any]) -> str:
    return text(block.get("text")) or format_value(dict(block), _LONG)


def _why_empty(part_name: str, *, known_before: bool, known_after: bool) -> str:
    if not known_before and not known_after:
        return f"No record of either request holds its {part_name}."
    return f"No record of the {'later' if known_before else 'former'} request holds its {part_name}."
