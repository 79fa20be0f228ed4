"""Assistant records: text, thinking, calls, and the blocks that a server put in, one card or chip a block."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sessions.text.engine.words import plural, size
from sessions.timeline.engine.cards.card import Card, Kind, Part
from sessions.timeline.engine.cards.draft import draft
from sessions.timeline.engine.cards.inline_events import Told
from sessions.timeline.engine.cards.lens import (
    ANSWER,
    BRIEF,
    OUTPUT,
    THOUGHT,
    Lens,
)
from sessions.timeline.engine.cards.raw import pretty
from sessions.timeline.engine.cards.safe_get import (
    joined,
    number,
    table,
    tables,
    text,
)
from sessions.timeline.engine.cards.tools.call import known
from sessions.timeline.engine.cards.tools.other import pairs
from sessions.timeline.engine.cards.tools.search import links, shown
from sessions.transcripts.engine.rows import Row

_STOPS = {
    "max_tokens": "cut at the output limit",
    "refusal": "refused",
    "pause_turn": "paused by the server",
    "model_context_window_exceeded": "context window full",
}


def block_card(row: Row, block: dict[str, Any], lens: Lens) -> Card | Told:
    """The card of any block of an assistant record but a tool call."""
    kind = text(block.get("type"))
    if kind == "text":
        return _text(row, text(block.get("text")), lens)
    if kind == "thinking":
        return _thinking(row, block, lens)
    if kind == "redacted_thinking":
        return "thinking", f"redacted, {size(len(text(block.get('data'))))}", ""
    if kind == "server_tool_use":
        return _server_call(row, block, lens)
    if kind == "advisor_tool_result":
        return _advice(row, table(block.get("content")), lens)
    if kind in ("web_search_tool_result", "web_fetch_tool_result"):
        return _web_result(row, block, lens)
    if kind == "fallback":
        models = " → ".join(known(*(_model(block.get(key)) for key in ("from", "to"))))
        return draft(Kind.NOTE, row, lens, "Another model took over", lens.line(models), tone="warn")
    return raw_card(row, f"unknown block: {kind}" if kind else "block without a type", block, lens)


def raw_card(row: Row, title: str, value: Any, lens: Lens) -> Card:
    parts = lens.output(pretty(value, 500_000 if lens.whole else 12_000), BRIEF)
    return draft(Kind.RAW, row, lens, lens.line(title, 80), parts=parts)


def _text(row: Row, words: str, lens: Lens) -> Card | Told:
    record = row.record
    message = table(record.get("message"))
    model = text(message.get("model"))
    if record.get("isApiErrorMessage") is True:
        facts = known(lens.line(text(record.get("error")) or text(record.get("apiError")), 40))
        return draft(Kind.NOTE, row, lens, "API error", facts=facts, parts=lens.output(words, BRIEF, "bad"), tone="bad")
    if model == "<synthetic>":
        return draft(Kind.NOTE, row, lens, "Written by the client", lens.line(words, 200), tone="aside")
    if not words.strip():
        return "empty text", "", ""
    stop = text(message.get("stop_reason"))
    aborted = "aborted" if record.get("isAbortedMidStream") is True else ""
    facts = known(lens.line(model, 60), _STOPS.get(stop, ""), aborted)
    card = draft(Kind.ASSISTANT, row, lens, "Assistant", facts=facts, parts=lens.prose(words, ANSWER))
    return replace(card, message_id=text(message.get("id")))


def _thinking(row: Row, block: dict[str, Any], lens: Lens) -> Card | Told:
    thought = text(block.get("thinking"))
    if not thought.strip():
        recorded = "not recorded in this version" if text(block.get("signature")) else "empty"
        return "thinking", recorded, ""
    line = lens.line(thought, 100)
    # A thought that fits its line has nothing left to unfold.
    parts = lens.prose(thought, THOUGHT) if len(thought.strip()) > 100 or "\n" in thought.strip() else ()
    return replace(draft(Kind.THINKING, row, lens, "Thinking", line, parts=parts), folded=bool(parts))


def _server_call(row: Row, block: dict[str, Any], lens: Lens) -> Card:
    given = table(block.get("input"))
    query = text(given.get("query")) or text(given.get("url"))
    rest = {key: value for key, value in given.items() if key not in ("query", "url")}
    name = lens.line(text(block.get("name")), 60) or "unnamed tool"
    return draft(Kind.TOOL, row, lens, name, lens.line(query), facts=("on the server",), parts=pairs(rest, lens))


def _advice(row: Row, content: dict[str, Any], lens: Lens) -> Card:
    kind = text(content.get("type"))
    hidden = number(len(text(content.get("encrypted_content"))))
    if kind.endswith("error"):
        line = lens.line(text(content.get("error_code")) or "no reason recorded")
        return draft(Kind.NOTE, row, lens, "Advisor failed", line, tone="bad")
    said = text(content.get("text")) or joined(content.get("content"))
    if said:
        return draft(Kind.NOTE, row, lens, "Advisor", parts=lens.prose(said, OUTPUT))
    return draft(Kind.NOTE, row, lens, "Advisor", f"the answer is encrypted ({size(hidden)})", tone="aside")


def _web_result(row: Row, block: dict[str, Any], lens: Lens) -> Card:
    content = block.get("content")
    failed = text(table(content).get("error_code"))
    found = links(tables(content) or [table(content)], lens)
    parts: tuple[Part, ...] = shown(found, lens)
    line = lens.line(failed) if failed else plural(len(found), "result")
    return draft(Kind.NOTE, row, lens, "Web results", line, parts=parts, tone="bad" if failed else "")


def _model(value: Any) -> str:
    return text(value) or text(table(value).get("model"))
