from __future__ import annotations

from typing import Any

import pytest

from sessions.timeline.engine.cards import CardKind, Pairs
from sessions.timeline.engine.cards.build import build_cards
from tests.sessions.timeline.engine.cards.window import assistant, cards, row, single_card, unmasked, user


def attached(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "attachment", "uuid": kind, "attachment": {"type": kind, **more}}


def test_chips_in_a_row_share_one_line() -> None:
    card = single_card(
        attached("date", newDate="2026-02-01"), attached("skill_listing", skillCount=13), {"type": "mode", "mode": "x"}
    )
    assert card.kind is CardKind.CHIPS
    assert [(chip.label, chip.detail) for chip in card.chips] == [
        ("date", "2026-02-01"),
        ("skills", "13"),
        ("mode", "x"),
    ]
    assert card.rows == (0, 1, 2)


def test_chips_of_one_label_count_up() -> None:
    progress = [{"type": "progress", "data": {"type": "bash_progress", "elapsedTimeSeconds": n}} for n in (1, 2, 3)]
    (chip,) = single_card(*progress).chips
    assert (chip.label, chip.detail, chip.count) == ("running", "3s", 3)


def test_a_line_of_chips_ends_with_its_turn() -> None:
    rows = [row(attached("date"), 0, turn=1), row(attached("date"), 1, turn=2)]
    assert len(build_cards(rows, {}, mask=unmasked)) == 2


def test_cards_part_the_lines_of_chips() -> None:
    kinds = [card.kind for card in cards(attached("date"), user("hi"), attached("date"))]
    assert kinds == [CardKind.CHIPS, CardKind.USER, CardKind.CHIPS]


def test_a_failed_hook_stands_out() -> None:
    (chip,) = single_card(attached("hook_non_blocking_error", hookName="Stop", exitCode=127)).chips
    assert (chip.label, chip.detail, chip.tone) == ("hook failed", "Stop exit 127", "warn")
    (chip,) = single_card(attached("hook_blocking_error", hookName="Stop")).chips
    assert chip.tone == "bad"


@pytest.mark.parametrize(
    ("record", "label", "detail"),
    [
        ({"type": "brand-new"}, "unknown record", "brand-new"),
        ({"type": None}, "unknown record", "without a type"),
        (attached("novelty"), "unknown attachment", "novelty"),
        ({"type": "attachment", "attachment": "text"}, "unknown attachment", ""),
        ({"type": "progress", "data": {"type": "odd"}}, "unknown progress", "odd"),
        ({"type": "system", "subtype": "weather"}, "unknown system record", "weather"),
    ],
)
def test_what_is_unknown_says_so(record: dict[str, Any], label: str, detail: str) -> None:
    (chip,) = single_card(record).chips
    assert (chip.label, chip.detail) == (label, detail)


@pytest.mark.parametrize(
    ("record", "label", "detail"),
    [
        ({"type": "system", "subtype": "turn_duration", "durationMs": 134_000}, "turn took", "2m 14s"),
        (
            {"type": "system", "subtype": "turn_duration", "durationMs": 134_000, "messageCount": 2},
            "turn took",
            "2m 14s · 2 messages",
        ),
        ({"type": "system", "subtype": "stop_hook_summary", "hookCount": 1}, "stop hooks", "1 hook"),
        ({"type": "system", "subtype": "informational", "content": "hello"}, "info", "hello"),
        ({"type": "queue-operation", "operation": "enqueue", "content": "do it"}, "queue", "enqueue do it"),
        ({"type": "cost-state", "totalCostUSD": 0.31, "totalDuration": 5_000}, "cost so far", "$0.31 5.0s"),
        ({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {"a": 1}}}, "file backups", "1 file"),
        ({"type": "worktree-state", "worktreeSession": {"worktreePath": "/w"}}, "worktree", "/w"),
        ({"type": "worktree-state", "worktreeSession": None}, "worktree", ""),
        (attached("deferred_tools_delta", addedNames=["A", "B", "C", "D"]), "tools", "4: A, B, C"),
        (attached("model", identity={"modelId": "model-a"}), "model", "model-a"),
        (attached("hook_system_message", content="\n\nhi  there"), "hook message", "hi there"),
    ],
)
def test_a_chip_says_what_its_record_is(record: dict[str, Any], label: str, detail: str) -> None:
    (chip,) = single_card(record).chips
    assert (chip.label, chip.detail) == (label, detail)


def test_a_retried_api_error_is_a_red_note() -> None:
    error = {"status": 529, "error": {"error": {"type": "overloaded_error", "message": "Overloaded"}}}
    record = {
        "type": "system",
        "subtype": "api_error",
        "error": error,
        "retryAttempt": 1,
        "maxRetries": 10,
        "retryInMs": 547.9,
    }
    card = single_card(record)
    assert (card.kind, card.error, card.summary) == (CardKind.NOTE, True, "529 Overloaded")
    assert card.facts == ("attempt 1 of 10", "retry in 548ms")


def test_an_api_error_without_a_reason_says_unknown() -> None:
    assert single_card({"type": "system", "subtype": "api_error", "error": {}}).summary == "reason unknown"


def test_a_refusal_names_both_models() -> None:
    record = {
        "type": "system",
        "subtype": "model_refusal_fallback",
        "content": "…",
        "originalModel": "a",
        "fallbackModel": "b",
    }
    assert single_card(record).summary == "a → b"


def test_on_its_own_page_a_chip_shows_all_that_its_record_says() -> None:
    (chip,) = single_card(attached("nested_memory", displayPath="CLAUDE.md", content="be kind"), whole=True).chips
    (pairs,) = chip.parts
    assert isinstance(pairs, Pairs)
    assert ("content", "be kind") in pairs.items


def test_an_empty_text_is_no_card() -> None:
    assert single_card(assistant({"type": "text", "text": " "})).kind is CardKind.CHIPS
