"""User records: the words of a person, and everything else that reaches the model in that role."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sessions.text.engine.words import size
from sessions.timeline.engine.cards.card import (
    Card,
    Fold,
    Kind,
    Part,
    Pictures,
)
from sessions.timeline.engine.cards.draft import draft
from sessions.timeline.engine.cards.inline_events import Told
from sessions.timeline.engine.cards.lens import (
    BRIEF,
    OUTPUT,
    WORDS,
    Lens,
)
from sessions.timeline.engine.cards.pictures import pictures
from sessions.timeline.engine.cards.raw import pretty
from sessions.timeline.engine.cards.safe_get import (
    content_blocks,
    joined,
    table,
    text,
)
from sessions.timeline.engine.cards.tools.call import known
from sessions.transcripts.engine.rows import Record, Row

_COMMAND = ("<command-name>", "<command-message>")
_OUTPUTS = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>")
_CAVEATS = ("<local-command-caveat>", "Caveat: The messages below")
_INTERRUPTED = "[Request interrupted by user"
_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
_TEAM = re.compile(r"<teammate-message\b([^>\n]{0,400})>")
_WHO = re.compile(r'teammate_id="([^"\n]{1,100})"')


def prompt_of(record: Record) -> Any:
    """What a person typed while the model worked; versions from 2.1.101 on keep it in an attachment."""
    return table(record.get("attachment")).get("prompt")


def speech(row: Row, content: Any, lens: Lens, *, queued: bool = False) -> Card | Told:
    """The card of a content in the user's role, or the chip where it is too small for one."""
    words = joined(content).strip()
    if words.startswith(_CAVEATS):
        return "caveat", "local commands follow", ""
    if words.startswith(_COMMAND):
        return _command(row, words, lens)
    if words.startswith("<bash-input>"):
        return draft(Kind.COMMAND, row, lens, "!", lens.line(between(words, "bash-input"), 400))
    if words.startswith(_OUTPUTS):
        return command_output(row, words, lens)
    if words.startswith(_INTERRUPTED):
        return draft(Kind.NOTE, row, lens, "Interrupted by the user", lens.line(words.strip("[]"), 120), tone="warn")
    return _message(row, words, lens) or _said(row, content, words, lens, queued=queued)


def _command(row: Row, words: str, lens: Lens) -> Card:
    name = between(words, "command-name") or between(words, "command-message")
    arguments = between(words, "command-args").strip()
    short = len(arguments) < 120 and "\n" not in arguments
    return draft(
        Kind.COMMAND,
        row,
        lens,
        lens.line(name, 80),
        lens.line(arguments) if short else "",
        parts=() if short else lens.plain(arguments, WORDS),
    )


def command_output(row: Row, words: str, lens: Lens) -> Card:
    parts: list[Part] = []
    for tag in ("local-command-stdout", "bash-stdout"):
        parts += lens.output(between(words, tag), OUTPUT)
    for tag in ("local-command-stderr", "bash-stderr"):
        parts += lens.output(between(words, tag), OUTPUT, "bad")
    return draft(Kind.COMMAND, row, lens, "", "" if parts else "no output", parts=tuple(parts))


def is_output(card: Card) -> bool:
    return card.kind is Kind.COMMAND and not card.title


def _message(row: Row, words: str, lens: Lens) -> Card | None:
    """What others than the person say in the user's role: tasks, team mates, monitors, other sessions."""
    if words.startswith("<task-notification>"):
        status, summary = between(words, "status"), between(words, "summary")
        tone = "bad" if status == "failed" else ""
        parts = lens.prose(between(words, "result"), OUTPUT)
        facts = known(lens.line(status, 40))
        return draft(Kind.NOTE, row, lens, "Task", lens.line(summary, 240), facts=facts, parts=parts, tone=tone)
    if team := _TEAM.match(words):
        who = _WHO.search(team[1])
        body = words[team.end() :].replace("</teammate-message>", "")
        return draft(
            Kind.NOTE, row, lens, "Team mate", lens.line(who[1]) if who else "", parts=lens.plain(body, OUTPUT)
        )
    if words.startswith("<ci-monitor-event>"):
        return draft(Kind.NOTE, row, lens, "CI monitor", parts=lens.plain(between(words, "ci-monitor-event"), OUTPUT))
    kind = text(table(row.record.get("origin")).get("kind"))
    if kind and kind != "human":
        return draft(Kind.NOTE, row, lens, f"From {lens.line(kind, 40)}", parts=lens.plain(words, OUTPUT))
    return None


def _said(row: Row, content: Any, words: str, lens: Lens, *, queued: bool) -> Card | Told:
    if row.record.get("isMeta") is True:
        return _injected(row, words, lens)
    said, reminders = _split(words)
    parts = [*lens.plain(said, WORDS), *_others(content, lens)]
    if images := pictures(row):
        parts.append(Pictures(images))
    if reminders:
        parts.append(Fold(f"Reminder ({size(len(reminders))})", lens.plain(reminders, BRIEF)))
    if not said and not images and reminders:
        return _injected(row, reminders, lens.fresh())
    agent = row.record.get("isSidechain") is True
    facts = known("queued while the model worked" if queued else "")
    return draft(Kind.USER, row, lens, "Prompt" if agent else "User", facts=facts, parts=tuple(parts))


def _injected(row: Row, words: str, lens: Lens) -> Card | Told:
    title = "Skill" if text(row.record.get("sourceToolUseID")) else "Injected text"
    if not words:
        return "injected", "no text", ""
    parts = lens.plain(words, BRIEF)
    facts = (size(lens.tally.size),)
    card = draft(Kind.NOTE, row, lens, title, lens.line(words, 100), facts=facts, parts=parts, tone="aside")
    return replace(card, folded=True)


def _others(content: Any, lens: Lens) -> list[Part]:
    """Documents, images that are elsewhere, and blocks that we do not know."""
    parts: list[Part] = []
    for block in content_blocks(content):
        kind, source = block.get("type"), table(block.get("source"))
        if kind in ("text", "tool_result") or (kind == "image" and source.get("type") == "base64"):
            continue
        if kind == "document":
            about = known(lens.line(text(block.get("title")), 80), lens.line(text(source.get("media_type")), 60))
            parts += lens.output(" ".join(("document", *about, size(len(text(source.get("data")))))), BRIEF, "dim")
            if source.get("type") == "text":
                parts += lens.plain(text(source.get("data")), BRIEF)
        elif kind == "image":
            parts += lens.output(f"image at {text(source.get('url')) or 'an unknown place'}, not loaded", BRIEF, "dim")
        else:
            parts += lens.output(pretty(block, 4_000), BRIEF, "dim")
    return parts


def _split(words: str) -> tuple[str, str]:
    """The words without the reminders that the client put between them, and those."""
    if "<system-reminder>" not in words:
        return words, ""
    return _REMINDER.sub("", words).strip(), "\n\n".join(match.strip() for match in _REMINDER.findall(words))


def between(words: str, tag: str) -> str:
    """What stands in the first such element; up to the end when it is not closed."""
    start = words.find(f"<{tag}>")
    if start < 0:
        return ""
    start += len(tag) + 2
    end = words.find(f"</{tag}>", start)
    return words[start:] if end < 0 else words[start:end]
