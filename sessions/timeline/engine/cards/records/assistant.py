"""Assistant records: a card or chip for each block of text, thinking or server tools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sessions.text.engine.words import plural, size
from sessions.timeline.engine.cards.card import Card, CardKind, Part
from sessions.timeline.engine.cards.draft import make_card
from sessions.timeline.engine.cards.lens import ANSWER, BRIEF, OUTPUT, THOUGHT, Lens
from sessions.timeline.engine.cards.records.inline_events import ChipText
from sessions.timeline.engine.cards.safe_get import as_dict, as_dicts, as_number, as_text, joined_text
from sessions.timeline.engine.cards.tools.call import drop_empty
from sessions.timeline.engine.cards.tools.other import pair_parts
from sessions.timeline.engine.cards.tools.search import link_parts, web_links
from sessions.timeline.engine.cards.value_text import format_value
from sessions.transcripts.engine.rows import Row

_STOPS = {
    "max_tokens": "cut at the output limit",
    "refusal": "refused",
    "pause_turn": "paused by the server",
    "model_context_window_exceeded": "context window full",
}


def block_card(row: Row, block: dict[str, Any], lens: Lens) -> Card | ChipText:
    """The card of a block that is not a tool call."""
    kind = as_text(block.get("type"))
    if kind == "text":
        return _text(row, as_text(block.get("text")), lens)
    if kind == "thinking":
        return _thinking(row, block, lens)
    if kind == "redacted_thinking":
        return "thinking", f"redacted, {size(len(as_text(block.get('data'))))}", ""
    if kind == "server_tool_use":
        return _server_call(row, block, lens)
    if kind == "advisor_tool_result":
        return _advice(row, as_dict(block.get("content")), lens)
    if kind in ("web_search_tool_result", "web_fetch_tool_result"):
        return _web_result(row, block, lens)
    if kind == "fallback":
        models = " → ".join(drop_empty(*(_model(block.get(key)) for key in ("from", "to"))))
        return make_card(CardKind.NOTE, row, lens, "Another model took over", lens.line(models), tone="warn")
    return raw_card(row, f"unknown block: {kind}" if kind else "block without a type", block, lens)


def raw_card(row: Row, title: str, value: Any, lens: Lens) -> Card:
    parts = lens.output(format_value(value, 500_000 if lens.whole else 12_000), BRIEF)
    return make_card(CardKind.RAW, row, lens, lens.line(title, 80), parts=parts)


def _text(row: Row, words: str, lens: Lens) -> Card | ChipText:
    record = row.record
    message = as_dict(record.get("message"))
    model = as_text(message.get("model"))
    if record.get("isApiErrorMessage") is True:
        facts = drop_empty(lens.line(as_text(record.get("error")) or as_text(record.get("apiError")), 40))
        return make_card(
            CardKind.NOTE, row, lens, "API error", facts=facts, parts=lens.output(words, BRIEF, "bad"), tone="bad"
        )
    if model == "<synthetic>":
        return make_card(CardKind.NOTE, row, lens, "Written by the client", lens.line(words, 200), tone="aside")
    if not words.strip():
        return "empty text", "", ""
    stop = as_text(message.get("stop_reason"))
    aborted = "aborted" if record.get("isAbortedMidStream") is True else ""
    facts = drop_empty(lens.line(model, 60), _STOPS.get(stop, ""), aborted)
    card = make_card(CardKind.ASSISTANT, row, lens, "Assistant", facts=facts, parts=lens.prose(words, ANSWER))
    return replace(card, message_id=as_text(message.get("id")))


def _thinking(row: Row, block: dict[str, Any], lens: Lens) -> Card | ChipText:
    thought = as_text(block.get("thinking"))
    if not thought.strip():
        recorded = "not recorded in this version" if as_text(block.get("signature")) else "empty"
        return "thinking", recorded, ""
    line = lens.line(thought, 100)
    # A thought that fits its line has nothing left to unfold.
    parts = lens.prose(thought, THOUGHT) if len(thought.strip()) > 100 or "\n" in thought.strip() else ()
    return replace(make_card(CardKind.THINKING, row, lens, "Thinking", line, parts=parts), folded=bool(parts))


def _server_call(row: Row, block: dict[str, Any], lens: Lens) -> Card:
    arguments = as_dict(block.get("input"))
    query = as_text(arguments.get("query")) or as_text(arguments.get("url"))
    rest = {key: value for key, value in arguments.items() if key not in ("query", "url")}
    name = lens.line(as_text(block.get("name")), 60) or "unnamed tool"
    return make_card(
        CardKind.TOOL, row, lens, name, lens.line(query), facts=("on the server",), parts=pair_parts(rest, lens)
    )


def _advice(row: Row, content: dict[str, Any], lens: Lens) -> Card:
    kind = as_text(content.get("type"))
    hidden = as_number(len(as_text(content.get("encrypted_content"))))
    if kind.endswith("error"):
        line = lens.line(as_text(content.get("error_code")) or "no reason recorded")
        return make_card(CardKind.NOTE, row, lens, "Advisor failed", line, tone="bad")
    advice = as_text(content.get("text")) or joined_text(content.get("content"))
    if advice:
        return make_card(CardKind.NOTE, row, lens, "Advisor", parts=lens.prose(advice, OUTPUT))
    return make_card(CardKind.NOTE, row, lens, "Advisor", f"the answer is encrypted ({size(hidden)})", tone="aside")


def _web_result(row: Row, block: dict[str, Any], lens: Lens) -> Card:
    content = block.get("content")
    failed = as_text(as_dict(content).get("error_code"))
    results = web_links(as_dicts(content) or [as_dict(content)], lens)
    parts: tuple[Part, ...] = link_parts(results, lens)
    line = lens.line(failed) if failed else plural(len(results), "result")
    return make_card(CardKind.NOTE, row, lens, "Web results", line, parts=parts, tone="bad" if failed else "")


def _model(value: Any) -> str:
    return as_text(value) or as_text(as_dict(value).get("model"))
