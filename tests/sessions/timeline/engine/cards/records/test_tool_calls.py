from __future__ import annotations

import pytest

from sessions.timeline.engine.cards import CardKind, Output, Pictures, Spill
from sessions.timeline.engine.cards.build import build_cards
from sessions.timeline.engine.cards.tool_results import CLEARED
from sessions.transcripts.engine.marks import Fate, Mark
from tests.sessions.timeline.engine.cards.window import (
    assistant,
    call,
    cards,
    part,
    result,
    results_in,
    row,
    single_card,
    unmasked,
)


def test_a_call_and_its_result_are_one_card() -> None:
    card = single_card(call("Bash", {"command": "make test", "description": "Run the tests"}), result("3 passed"))
    assert (card.kind, card.title, card.summary) == (CardKind.TOOL, "Bash", "make test")
    assert card.facts == ("Run the tests",)
    assert part(card, Output).text == "3 passed"
    assert card.rows == (0, 1)
    assert not card.error


def test_a_result_row_in_the_window_is_not_shown_twice() -> None:
    rows = [row(call("Bash", {"command": "ls"}), 4), row(result("a"), 5)]
    assert [card.rows for card in build_cards(rows, {}, mask=unmasked)] == [(4, 5)]


def test_a_result_that_was_also_fetched_for_its_call_is_not_shown_twice() -> None:
    answered = {"t-1": row(result("a"), 5)}
    rows = [row(call("Bash", {"command": "ls"}), 4), row(result("a"), 5)]
    assert [card.rows for card in build_cards(rows, answered, mask=unmasked)] == [(4, 5)]


def test_a_row_with_a_result_and_words_is_found_at_its_words() -> None:
    both = result("a")
    both["message"]["content"].append({"type": "text", "text": "but go on"})
    rows = [row(call("Bash", {"command": "ls"}), 4), row(both, 5)]
    assert [card.rows for card in build_cards(rows, results_in(rows), mask=unmasked)] == [(4,), (5,)]


def test_a_second_result_of_a_call_is_a_card_of_its_own() -> None:
    rows = [row(call("Bash", {"command": "ls"}), 4), row(result("a"), 5), row(result("b"), 6)]
    assert [card.rows for card in build_cards(rows, results_in(rows), mask=unmasked)] == [(4, 5), (6,)]


def test_a_call_without_a_result_says_so() -> None:
    assert single_card(call("Bash", {"command": "ls"})).facts == ("no result recorded",)


def test_a_last_call_may_still_get_its_result() -> None:
    first, last = cards(call("Bash", {"command": "a"}), assistant({"type": "text", "text": "x"}), at_end=True)
    assert first.facts == ("no result recorded",)
    assert last.kind is CardKind.ASSISTANT
    assert single_card(call("Bash", {"command": "b"}), at_end=True).facts == ("no result yet",)


def test_a_failed_command_is_red_with_its_exit_code_and_first_words() -> None:
    card = single_card(call("Bash", {"command": "false"}), result("Exit code 2\nno such thing", "Error: …", error=True))
    assert card.error
    assert "exit 2" in card.facts
    assert (part(card, Output).text, part(card, Output).tone) == ("no such thing", "bad")


def test_a_denied_call_says_by_whom() -> None:
    card = single_card(call("Bash", {"command": "rm"}), result("no", error=True, toolDenialKind="user-rejected"))
    assert "denied: user-rejected" in card.facts


def test_an_error_without_words_still_says_that_it_failed() -> None:
    assert part(single_card(call("Bash", {}), result("", error=True)), Output).text == "failed without a message"


def test_a_lone_result_links_to_its_call() -> None:
    outcome = row(result("text", tool_use_id="t-9"), 7)
    (card,) = build_cards([outcome], {}, mask=unmasked)
    assert (card.kind, card.tool_use_id, card.call_address, card.position) == (CardKind.RESULT, "t-9", "a-1", 7)
    assert part(card, Output).text == "text"


def test_a_persisted_result_shows_its_preview_size_and_file() -> None:
    words = (
        "<persisted-output>\nOutput too large (214.1KB). Full output saved to: /home/x/tool-results/bx.txt\n\n"
        "Preview (first 2KB):\nline 1\nline 2\n</persisted-output>"
    )
    card = single_card(call("Bash", {"command": "cat big"}), result(words, {"persistedOutputPath": "/a\\b/bx.txt"}))
    assert part(card, Output).text == "line 1\nline 2"
    assert part(card, Spill) == Spill("bx.txt", "214.1KB")
    assert [mark.fate for mark in card.marks] == [Fate.PERSISTED]


def test_the_recorded_size_of_a_persisted_result_is_preferred() -> None:
    twin = {"persistedOutputPath": "/r/b.txt", "persistedOutputSize": 4096, "stdout": ""}
    assert part(single_card(call("Bash", {}), result("start", twin)), Spill).size == "4.0 KB"


def test_an_mcp_result_over_the_limit_links_its_file() -> None:
    words = (
        "Error: result (158,449 characters across 4,000 lines) exceeds maximum allowed tokens."
        " Output has been saved to /r/mcp-1.txt.\nFormat: text"
    )
    spill = part(single_card(call("mcp__m__dump", {}), result(words)), Spill)
    assert (spill.name, spill.size) == ("mcp-1.txt", "158,449 characters")


def test_a_cleared_result_shows_the_original_of_its_twin() -> None:
    card = single_card(call("Bash", {"command": "ls"}), result(CLEARED, {"stdout": "a.py", "stderr": ""}))
    assert part(card, Output).text == "a.py"
    assert [mark.text for mark in card.marks] == ["cleared, original here"]


def test_a_cleared_result_without_an_original_says_so() -> None:
    card = single_card(call("Read", {"file_path": "/a"}), result(CLEARED))
    assert part(card, Output).text == "cleared; this record does not hold the original"
    assert card.marks == ()


def test_the_marks_of_call_and_result_stand_on_the_card() -> None:
    request = row(call("Bash", {"command": "ls"}), 3, marks=(Mark(0, 9, Fate.SUMMARISED, 20),))
    answer = row(result("x"), 4, marks=(Mark(0, 9, Fate.SUMMARISED, 20), Mark(4, 4, Fate.CLEARED, 11)))
    (card,) = build_cards([request], results_in([answer]), mask=unmasked)
    assert [(mark.fate, mark.text, mark.by) for mark in card.marks] == [
        (Fate.SUMMARISED, "in summary ↓", 20),
        (Fate.CLEARED, "cleared, original here", 11),
    ]


def test_images_of_a_result_are_addressed_by_the_results_record() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    card = single_card(call("Read", {"file_path": "/a.png"}), result([image]))
    assert [(picture.address, picture.n) for picture in part(card, Pictures).items] == [("r-1", 0)]
    assert not card.folded


@pytest.mark.parametrize("name", ['Task" >\n<parameter name="description', "", None, 7, {"a": 1}, "\x00\u202e"])
@pytest.mark.parametrize("given", [None, "text", 3, [1, {"a": []}], {"command": {"a": 1}, "todos": "x"}])
def test_malformed_calls_are_shown(name: object, given: object) -> None:
    block = {"type": "tool_use", "id": "t-1", "name": name, "input": given}
    card = single_card(assistant(block), result([{"type": "text"}, 5, "x"]))
    assert card.kind is CardKind.TOOL
    assert card.title


def test_two_results_in_one_record_go_to_their_calls() -> None:
    both = result("first")
    both["message"]["content"].append({"type": "tool_result", "tool_use_id": "t-2", "content": "second"})
    rows = [row(call("Bash", {"command": "a"}), 0), row(call("Bash", {"command": "b"}, "t-2"), 1), row(both, 2)]
    texts = [part(card, Output).text for card in build_cards(rows, results_in(rows), mask=unmasked)]
    assert texts == ["first", "second"]
