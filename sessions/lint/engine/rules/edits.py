"""The edits that the API is asked to make itself: `context_management`, or `compaction` at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request

LEAST_COMPACT_TRIGGER = 50_000


def check(request: Request) -> Iterator[Finding]:
    management = request.body.get("context_management")
    if management is not None and request.body.get("compaction") is not None:
        words = "A request to compact at once cannot ask for edits of the context as well."
        yield _refused("compaction", words, "Leave out compaction, or context_management.")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    for at, edit in enumerate(edits if isinstance(edits, list) else []):
        kind = edit.get("type") if isinstance(edit, Mapping) else None
        path = f"context_management.edits[{at}]"
        if kind == "clear_thinking_20251015" and at:
            yield _refused(path, "Clearing of thinking has to be the first edit.", "List it first.")
        if kind == "compact_20260112" and _trigger(edit) < LEAST_COMPACT_TRIGGER:
            least = f"{LEAST_COMPACT_TRIGGER:,}"
            words = f"The API compacts from {least} input tokens on, not earlier."
            yield _refused(f"{path}.trigger", words, f"Raise the trigger to {least} or more.")


def _trigger(edit: Mapping[str, object]) -> float:
    trigger = edit.get("trigger")
    value = trigger.get("value") if isinstance(trigger, Mapping) else None
    return value if isinstance(value, int | float) else LEAST_COMPACT_TRIGGER


def _refused(path: str, message: str, repair: str) -> Finding:
    return Finding("context-edits", Severity.REFUSED, path, message, repair)
