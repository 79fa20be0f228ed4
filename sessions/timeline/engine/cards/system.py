"""System records: what the client says about its own work. The loud ones are notes, the others chips."""

from __future__ import annotations

from typing import Any

from sessions.text.engine.words import duration, plural
from sessions.timeline.engine.cards.card import Card, Kind
from sessions.timeline.engine.cards.draft import draft
from sessions.timeline.engine.cards.inline_events import Told
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.safe_get import (
    items,
    number,
    table,
    tables,
    text,
    whole,
)
from sessions.timeline.engine.cards.tools.call import known
from sessions.transcripts.engine.rows import Record, Row

_TONES = {"warning": "warn", "error": "bad"}


def quiet(record: Record) -> Told | None:
    """The chip of a system record, or None when it deserves a note."""
    subtype = text(record.get("subtype"))
    content = text(record.get("content"))
    took = number(record.get("durationMs"))
    if subtype == "turn_duration":
        count = whole(record.get("messageCount"))
        return "turn took", " · ".join(known(duration(took), plural(count, "message") if count is not None else "")), ""
    if subtype == "stop_hook_summary":
        return _stop_hooks(record)
    if subtype in ("bridge_status", "scheduled_task_fire", "agents_killed"):
        return subtype.replace("_", " "), content, ""
    if subtype == "informational" and text(record.get("level")) not in _TONES:
        return "info", content, ""
    if subtype in ("", "informational", "api_error", "away_summary", "model_refusal_fallback"):
        return None if content or subtype == "api_error" else ("system", text(record.get("level")), "")
    return "unknown system record", subtype, "warn"


def _stop_hooks(record: Record) -> Told:
    count, errors = whole(record.get("hookCount")), len(items(record.get("hookErrors")))
    took = sum(number(hook.get("durationMs")) or 0 for hook in tables(record.get("hookInfos")))
    stopped = record.get("preventedContinuation") is True
    details = known(
        plural(count, "hook") if count is not None else "",
        duration(took) if took else "",
        plural(errors, "error") if errors else "",
        f"prevented continuation {text(record.get('stopReason'))}" if stopped else "",
    )
    return "stop hooks", ", ".join(details), "bad" if stopped or errors else ""


def note(row: Row, lens: Lens) -> Card:
    record = row.record
    subtype = text(record.get("subtype"))
    if subtype == "api_error":
        return draft(Kind.NOTE, row, lens, "API error", _error_line(record, lens), facts=_retry(record), tone="bad")
    content = text(record.get("content"))
    tone = _TONES.get(text(record.get("level")), "")
    if subtype == "away_summary":
        return draft(Kind.NOTE, row, lens, "While you were away", parts=lens.prose(content, OUTPUT))
    if subtype == "model_refusal_fallback":
        models = (text(record.get("originalModel")), text(record.get("fallbackModel")))
        facts = known(lens.line(text(record.get("apiRefusalCategory")), 40))
        line = lens.line(" → ".join(known(*models)))
        parts = lens.plain(content, BRIEF)
        return draft(
            Kind.NOTE, row, lens, "Refused, another model took over", line, facts=facts, parts=parts, tone="warn"
        )
    return draft(Kind.NOTE, row, lens, "System", parts=lens.plain(content, OUTPUT), tone=tone)


def _error_line(record: Record, lens: Lens) -> str:
    error = table(record.get("error"))
    status = whole(error.get("status"))
    body = table(table(error.get("error")).get("error")) or table(error.get("error"))
    cause: dict[str, Any] = table(error.get("cause")) or table(record.get("cause")) or table(error.get("connection"))
    said = text(error.get("formatted")) or text(body.get("message")) or text(error.get("message"))
    reason = (
        said or text(cause.get("message")) or text(cause.get("code")) or text(record.get("error")) or "reason unknown"
    )
    prefix = f"{status} " if status is not None and str(status) not in reason[:8] else ""
    return lens.line(prefix + reason, 240)


def _retry(record: Record) -> tuple[str, ...]:
    attempt, most, wait = (number(record.get(key)) for key in ("retryAttempt", "maxRetries", "retryInMs"))
    return known(
        f"attempt {attempt:.0f}" + (f" of {most:.0f}" if most is not None else "") if attempt is not None else "",
        f"retry in {duration(wait)}" if wait is not None else "",
    )
