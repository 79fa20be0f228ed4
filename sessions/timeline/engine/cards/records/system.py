"""System records, in which the client reports on its work: errors and warnings are cards, the others chips."""

from __future__ import annotations

from typing import Any

from sessions.text.engine.words import duration, plural
from sessions.timeline.engine.cards.card import Card, CardKind
from sessions.timeline.engine.cards.draft import make_card
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, Lens
from sessions.timeline.engine.cards.records.inline_events import ChipText
from sessions.timeline.engine.cards.safe_get import as_dict, as_dicts, as_int, as_list, as_number, as_text
from sessions.timeline.engine.cards.tools.call import drop_empty
from sessions.transcripts.engine.rows import Record, Row

_TONES = {"warning": "warn", "error": "bad"}


def describe_quiet_record(record: Record) -> ChipText | None:
    """The chip of a system record, or None if it needs a card."""
    subtype = as_text(record.get("subtype"))
    content = as_text(record.get("content"))
    took = as_number(record.get("durationMs"))
    if subtype == "turn_duration":
        count = as_int(record.get("messageCount"))
        return (
            "turn took",
            " · ".join(drop_empty(duration(took), plural(count, "message") if count is not None else "")),
            "",
        )
    if subtype == "stop_hook_summary":
        return _describe_stop_hooks(record)
    if subtype in ("bridge_status", "scheduled_task_fire", "agents_killed"):
        return subtype.replace("_", " "), content, ""
    if subtype == "informational" and as_text(record.get("level")) not in _TONES:
        return "info", content, ""
    if subtype in ("", "informational", "api_error", "away_summary", "model_refusal_fallback"):
        return None if content or subtype == "api_error" else ("system", as_text(record.get("level")), "")
    return "unknown system record", subtype, "warn"


def _describe_stop_hooks(record: Record) -> ChipText:
    count, errors = as_int(record.get("hookCount")), len(as_list(record.get("hookErrors")))
    took = sum(as_number(hook.get("durationMs")) or 0 for hook in as_dicts(record.get("hookInfos")))
    stopped = record.get("preventedContinuation") is True
    details = drop_empty(
        plural(count, "hook") if count is not None else "",
        duration(took) if took else "",
        plural(errors, "error") if errors else "",
        f"prevented continuation {as_text(record.get('stopReason'))}" if stopped else "",
    )
    return "stop hooks", ", ".join(details), "bad" if stopped or errors else ""


def system_card(row: Row, lens: Lens) -> Card:
    record = row.record
    subtype = as_text(record.get("subtype"))
    if subtype == "api_error":
        return make_card(
            CardKind.NOTE, row, lens, "API error", _error_line(record, lens), facts=_retry_facts(record), tone="bad"
        )
    content = as_text(record.get("content"))
    tone = _TONES.get(as_text(record.get("level")), "")
    if subtype == "away_summary":
        return make_card(CardKind.NOTE, row, lens, "While you were away", parts=lens.prose(content, OUTPUT))
    if subtype == "model_refusal_fallback":
        models = (as_text(record.get("originalModel")), as_text(record.get("fallbackModel")))
        facts = drop_empty(lens.line(as_text(record.get("apiRefusalCategory")), 40))
        line = lens.line(" → ".join(drop_empty(*models)))
        parts = lens.plain(content, BRIEF)
        return make_card(
            CardKind.NOTE, row, lens, "Refused, another model took over", line, facts=facts, parts=parts, tone="warn"
        )
    return make_card(CardKind.NOTE, row, lens, "System", parts=lens.plain(content, OUTPUT), tone=tone)


def _error_line(record: Record, lens: Lens) -> str:
    error = as_dict(record.get("error"))
    status = as_int(error.get("status"))
    body = as_dict(as_dict(error.get("error")).get("error")) or as_dict(error.get("error"))
    cause: dict[str, Any] = (
        as_dict(error.get("cause")) or as_dict(record.get("cause")) or as_dict(error.get("connection"))
    )
    reported = as_text(error.get("formatted")) or as_text(body.get("message")) or as_text(error.get("message"))
    reason = (
        reported
        or as_text(cause.get("message"))
        or as_text(cause.get("code"))
        or as_text(record.get("error"))
        or "reason unknown"
    )
    prefix = f"{status} " if status is not None and str(status) not in reason[:8] else ""
    return lens.line(prefix + reason, 240)


def _retry_facts(record: Record) -> tuple[str, ...]:
    attempt, most, wait = (as_number(record.get(key)) for key in ("retryAttempt", "maxRetries", "retryInMs"))
    return drop_empty(
        f"attempt {attempt:.0f}" + (f" of {most:.0f}" if most is not None else "") if attempt is not None else "",
        f"retry in {duration(wait)}" if wait is not None else "",
    )
