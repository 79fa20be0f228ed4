"""The edits that the API makes itself: `context_management`, or `compaction` at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest

MIN_COMPACT_TRIGGER = 50_000


def check(request: ParsedRequest) -> Iterator[Finding]:
    management = request.body.get("context_management")
    if management is not None and request.body.get("compaction") is not None:
        words = "A request to compact at once cannot ask for edits of the context as well."
        yield _refusal("compaction", words, "Leave out compaction, or context_management.")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    for index, edit in enumerate(edits if isinstance(edits, list) else []):
        kind = edit.get("type") if isinstance(edit, Mapping) else None
        path = f"context_management.edits[{index}]"
        if kind == "clear_thinking_20251015" and index:
            yield _refusal(path, "Clearing of thinking has to be the first edit.", "List it first.")
        if kind == "compact_20260112" and _trigger(edit) < MIN_COMPACT_TRIGGER:
            least = f"{MIN_COMPACT_TRIGGER:,}"
            words = f"The API compacts from {least} input tokens on, not earlier."
            yield _refusal(f"{path}.trigger", words, f"Raise the trigger to {least} or more.")


def _trigger(edit: Mapping[str, object]) -> float:
    trigger = edit.get("trigger")
    value = trigger.get("value") if isinstance(trigger, Mapping) else None
    return value if isinstance(value, int | float) else MIN_COMPACT_TRIGGER


def _refusal(path: str, message: str, repair: str) -> Finding:
    return Finding("context-edits", Severity.REFUSED, path, message, repair)
