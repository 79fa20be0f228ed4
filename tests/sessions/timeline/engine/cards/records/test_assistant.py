from __future__ import annotations

from sessions.timeline.engine.cards import CardKind, Links, Output, Prose
from tests.sessions.timeline.engine.cards.window import assistant, cards, part, single_card


def test_text_is_markdown_and_names_its_model() -> None:
    card = single_card(assistant({"type": "text", "text": "all **done**"}))
    assert (card.kind, card.facts) == (CardKind.ASSISTANT, ("model-a",))
    assert part(card, Prose).html == "<p>all <strong>done</strong></p>\n"


def test_a_text_that_hit_the_limit_says_so() -> None:
    record = assistant({"type": "text", "text": "and then"})
    record["message"]["stop_reason"] = "max_tokens"
    assert "cut at the output limit" in single_card(record).facts


def test_thinking_is_folded_behind_its_first_words() -> None:
    card = single_card(assistant({"type": "thinking", "thinking": "hm,\nlet me see", "signature": "x"}))
    assert (card.kind, card.summary, card.folded) == (CardKind.THINKING, "hm, let me see", True)
    assert part(card, Prose).html == "<p>hm,\nlet me see</p>\n"


def test_a_thought_of_one_line_has_nothing_to_unfold() -> None:
    card = single_card(assistant({"type": "thinking", "thinking": "hm", "signature": "x"}))
    assert (card.summary, card.parts, card.folded) == ("hm", (), False)


def test_thinking_that_was_not_recorded_says_so() -> None:
    card = single_card(assistant({"type": "thinking", "thinking": "", "signature": "x"}))
    assert [(chip.label, chip.detail) for chip in card.chips] == [("thinking", "not recorded in this version")]


def test_redacted_thinking_is_a_chip() -> None:
    (chip,) = single_card(assistant({"type": "redacted_thinking", "data": "x" * 100})).chips
    assert (chip.label, chip.detail) == ("thinking", "redacted, 100 B")


def test_several_blocks_of_one_record_are_cards_with_anchors_of_their_own() -> None:
    record = assistant({"type": "text", "text": "a"}, {"type": "tool_use", "id": "x", "name": "Bash", "input": {}})
    assert [card.anchor for card in cards(record)] == ["e0", "e0-1"]


def test_an_api_error_is_red() -> None:
    card = single_card(
        assistant({"type": "text", "text": "API Error: 529"}, isApiErrorMessage=True, error="overloaded")
    )
    assert (card.kind, card.error, card.facts) == (CardKind.NOTE, True, ("overloaded",))
    assert part(card, Output).tone == "bad"


def test_words_of_the_client_are_not_the_models() -> None:
    record = assistant({"type": "text", "text": "No response requested."})
    record["message"]["model"] = "<synthetic>"
    assert single_card(record).title == "Written by the client"


def test_a_server_tool_and_its_hits_are_shown() -> None:
    request = single_card(
        assistant({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "zstd"}})
    )
    assert (request.kind, request.title, request.summary) == (CardKind.TOOL, "web_search", "zstd")
    hits = [{"type": "web_search_result", "title": "Z", "url": "https://example.com"}, {"url": "javascript:x"}]
    result = single_card(assistant({"type": "web_search_tool_result", "tool_use_id": "s", "content": hits}))
    assert [(link.title, link.url) for link in part(result, Links).items] == [
        ("Z", "https://example.com"),
        ("javascript:x", ""),
    ]


def test_an_encrypted_advice_says_that_it_cannot_be_read() -> None:
    content = {"type": "advisor_redacted_result", "encrypted_content": "x" * 50}
    assert (
        single_card(assistant({"type": "advisor_tool_result", "content": content})).summary
        == "the answer is encrypted (50 B)"
    )


def test_a_fallback_names_both_models() -> None:
    card = single_card(assistant({"type": "fallback", "from": {"model": "model-a"}, "to": {"model": "model-b"}}))
    assert card.summary == "model-a → model-b"


def test_an_unknown_block_is_shown_as_it_stands() -> None:
    card = single_card(assistant({"type": "hologram", "depth": 3}))
    assert (card.kind, card.title) == (CardKind.RAW, "unknown block: hologram")
    assert part(card, Output).text == '{\n  type: "hologram",\n  depth: 3\n}'
