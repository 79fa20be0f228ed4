"""User records: what a person typed, and everything else that reaches the model in the user role."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sessions.text.engine.words import size
from sessions.timeline.engine.cards.card import Card, CardKind, Fold, Part, Pictures
from sessions.timeline.engine.cards.draft import make_card
from sessions.timeline.engine.cards.lens import BRIEF, OUTPUT, WORDS, Lens
from sessions.timeline.engine.cards.pictures import pictures_of
from sessions.timeline.engine.cards.records.inline_events import ChipText
from sessions.timeline.engine.cards.safe_get import as_dict, as_text, content_blocks, joined_text
from sessions.timeline.engine.cards.tools.call import drop_empty
from sessions.timeline.engine.cards.value_text import format_value
from sessions.transcripts.engine.rows import Record, Row

_COMMAND = ("<command-name>", "<command-message>")
_OUTPUTS = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>")
_CAVEATS = ("<local-command-caveat>", "Caveat: The messages below")
_INTERRUPTED = "[Request interrupted by user"
_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
_TEAM = re.compile(r"<teammate-message\b([^>\n]{0,400})>")
_WHO = re.compile(r'teammate_id="([^"\n]{1,100})"')


def queued_prompt(record: Record) -> Any:
    """What a person typed while the model worked. Clients from 2.1.101 on keep it in an attachment."""
    return as_dict(record.get("attachment")).get("prompt")


def user_card(row: Row, content: Any, lens: Lens, *, queued: bool = False) -> Card | ChipText:
    """The card of a content in the user role, or a chip if it is too small for a card."""
    words = joined_text(content).strip()
    if words.startswith(_CAVEATS):
        return "caveat", "local commands follow", ""
    if words.startswith(_COMMAND):
        return _command(row, words, lens)
    if words.startswith("<bash-input>"):
        return make_card(CardKind.COMMAND, row, lens, "!", lens.line(element_text(words, "bash-input"), 400))
    if words.startswith(_OUTPUTS):
        return command_output(row, words, lens)
    if words.startswith(_INTERRUPTED):
        return make_card(
            CardKind.NOTE, row, lens, "Interrupted by the user", lens.line(words.strip("[]"), 120), tone="warn"
        )
    return _sender_card(row, words, lens) or _prompt_card(row, content, words, lens, queued=queued)


def _command(row: Row, words: str, lens: Lens) -> Card:
    name = element_text(words, "command-name") or element_text(words, "command-message")
    arguments = element_text(words, "command-args").strip()
    short = len(arguments) < 120 and "\n" not in arguments
    return make_card(
        CardKind.COMMAND,
        row,
        lens,
        lens.line(name, 80),
        lens.line(arguments) if short else "",
        parts=() if short else lens.plain(arguments, WORDS),
    )


def command_output(row: Row, words: str, lens: Lens) -> Card:
    parts: list[Part] = []
    for tag in ("local-command-stdout", "bash-stdout"):
        parts += lens.output(element_text(words, tag), OUTPUT)
    for tag in ("local-command-stderr", "bash-stderr"):
        parts += lens.output(element_text(words, tag), OUTPUT, "bad")
    return make_card(CardKind.COMMAND, row, lens, "", "" if parts else "no output", parts=tuple(parts))


def is_command_output(card: Card) -> bool:
    return card.kind is CardKind.COMMAND and not card.title


def _sender_card(row: Row, words: str, lens: Lens) -> Card | None:
    """The card of a message from a task, team mate, monitor or other session."""
    if words.startswith("<task-notification>"):
        status, summary = element_text(words, "status"), element_text(words, "summary")
        tone = "bad" if status == "failed" else ""
        parts = lens.prose(element_text(words, "result"), OUTPUT)
        facts = drop_empty(lens.line(status, 40))
        return make_card(CardKind.NOTE, row, lens, "Task", lens.line(summary, 240), facts=facts, parts=parts, tone=tone)
    if team := _TEAM.match(words):
        who = _WHO.search(team[1])
        body = words[team.end() :].replace("</teammate-message>", "")
        return make_card(
            CardKind.NOTE, row, lens, "Team mate", lens.line(who[1]) if who else "", parts=lens.plain(body, OUTPUT)
        )
    if words.startswith("<ci-monitor-event>"):
        return make_card(
            CardKind.NOTE, row, lens, "CI monitor", parts=lens.plain(element_text(words, "ci-monitor-event"), OUTPUT)
        )
    kind = as_text(as_dict(row.record.get("origin")).get("kind"))
    if kind and kind != "human":
        return make_card(CardKind.NOTE, row, lens, f"From {lens.line(kind, 40)}", parts=lens.plain(words, OUTPUT))
    return None


def _prompt_card(row: Row, content: Any, words: str, lens: Lens, *, queued: bool) -> Card | ChipText:
    if row.record.get("isMeta") is True:
        return _injected_card(row, words, lens)
    prompt, reminders = _split_reminders(words)
    parts = [*lens.plain(prompt, WORDS), *_other_parts(content, lens)]
    if images := pictures_of(row):
        parts.append(Pictures(images))
    if reminders:
        parts.append(Fold(f"Reminder ({size(len(reminders))})", lens.plain(reminders, BRIEF)))
    if not prompt and not images and reminders:
        return _injected_card(row, reminders, lens.fresh())
    agent = row.record.get("isSidechain") is True
    facts = drop_empty("queued while the model worked" if queued else "")
    return make_card(CardKind.USER, row, lens, "Prompt" if agent else "User", facts=facts, parts=tuple(parts))


def _injected_card(row: Row, words: str, lens: Lens) -> Card | ChipText:
    title = "Skill" if as_text(row.record.get("sourceToolUseID")) else "Injected text"
    if not words:
        return "injected", "no text", ""
    parts = lens.plain(words, BRIEF)
    facts = (size(lens.tally.size),)
    card = make_card(CardKind.NOTE, row, lens, title, lens.line(words, 100), facts=facts, parts=parts, tone="aside")
    return replace(card, folded=True)


def _other_parts(content: Any, lens: Lens) -> list[Part]:
    """Documents, images at other addresses, and unknown blocks."""
    parts: list[Part] = []
    for block in content_blocks(content):
        kind, source = block.get("type"), as_dict(block.get("source"))
        if kind in ("text", "tool_result") or (kind == "image" and source.get("type") == "base64"):
            continue
        if kind == "document":
            about = drop_empty(
                lens.line(as_text(block.get("title")), 80), lens.line(as_text(source.get("media_type")), 60)
            )
            parts += lens.output(" ".join(("document", *about, size(len(as_text(source.get("data")))))), BRIEF, "dim")
            if source.get("type") == "text":
                parts += lens.plain(as_text(source.get("data")), BRIEF)
        elif kind == "image":
            parts += lens.output(
                f"image at {as_text(source.get('url')) or 'an unknown place'}, not loaded", BRIEF, "dim"
            )
        else:
            parts += lens.output(format_value(block, 4_000), BRIEF, "dim")
    return parts


def _split_reminders(words: str) -> tuple[str, str]:
    """Separates the reminders that the client inserted from the other text."""
    if "<system-reminder>" not in words:
        return words, ""
    return _REMINDER.sub("", words).strip(), "\n\n".join(match.strip() for match in _REMINDER.findall(words))


def element_text(words: str, tag: str) -> str:
    """The text of the first such element, up to the end if it is not closed."""
    start = words.find(f"<{tag}>")
    if start < 0:
        return ""
    start += len(tag) + 2
    end = words.find(f"</{tag}>", start)
    return words[start:] if end < 0 else words[start:end]
