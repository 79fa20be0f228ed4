"""The two documents that an export can be, piece by piece, so that none is ever whole in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import get_template
from django.utils.safestring import SafeString

from sessions.export.engine import card_markdown, escape_line
from sessions.export.selectors import Section, Sheet, clean_text, list_sections, read_sheets
from sessions.models import Transcript, Turn
from sessions.templatetags.lucid import clock, moment
from sessions.text.engine import words
from sessions.timeline.views.session import TurnGroup, group_by_turn
from sessions.transcripts.selectors.session import SessionHead

STYLES = ("css/base.css", "css/cards.css", "css/code.css", "css/session.css", "css/export.css")


NOT_WHOLE = "This document is not whole. What is damaged in the archive is left out, where it says so:"


def render_html(head: SessionHead) -> Iterator[str]:
    damage: dict[str, None] = {}
    parts = list_sections(head.transcript, head.title)
    agents = {part.transcript.agent_id: part.anchor for part in parts[1:] if part.transcript.agent_id}
    context = {"main": parts[0], "sections": parts, "about": session_facts(head), "css": SafeString(styles())}
    yield get_template("sessions/export/top.html").render(context)
    rows = get_template("sessions/export/rows.html")
    for part in parts:
        yield get_template("sessions/export/section.html").render({"section": part})
        for stretches, sheet in _turn_groups(part.transcript, damage):
            yield rows.render({"groups": stretches, "prefix": part.prefix, "records": sheet.records, "agents": agents})
        yield "</section>\n" if part.transcript.entries else '<p class="empty">It has no entries.</p></section>\n'
    context = {"why": NOT_WHOLE, "damage": list(damage)}
    yield get_template("sessions/export/bottom.html").render(context)


def render_markdown(head: SessionHead) -> Iterator[str]:
    damage: dict[str, None] = {}
    parts = list_sections(head.transcript, head.title)
    facts = "\n".join(f"- {name}: {escape_line(value)}" for name, value in session_facts(head))
    yield f"# {escape_line(parts[0].title[:300])}\n\n{facts}\n\n*Exported by Lucid; secrets masked.*\n\n"
    if len(parts) > 1:
        yield "## Contents\n\n" + "".join(map(_contents_line, parts)) + "\n"
    for part in parts:
        place = f'<a id="{part.anchor}"></a>\n\n' if len(parts) > 1 else ""
        yield f"{place}## {escape_line(part.title[:200]) if part.depth else 'The session'}\n\n"
        for stretches, _ in _turn_groups(part.transcript, damage):
            pieces = []
            for stretch in stretches:
                pieces.append(_turn(stretch.number, stretch.turn) if stretch.heading and stretch.turn else "")
                pieces += [card_markdown(card, clock(card.at)) for card in stretch.cards]
            yield "".join(pieces)
    if damage:
        yield f"\n**{NOT_WHOLE}**\n\n" + "".join(f"- {escape_line(sentence)}\n" for sentence in damage)


def _turn_groups(transcript: Transcript, damage: dict[str, None]) -> Iterator[tuple[list[TurnGroup], Sheet]]:
    """The cards by turn, one window at a time. Adds damage to `damage`, each description once."""
    turn = None
    for sheet in read_sheets(transcript):
        cards = sheet.cards
        damage.update(dict.fromkeys(sheet.damage))
        yield group_by_turn(cards, sheet.turns, joins=bool(cards) and cards[0].turn == turn), sheet
        turn = cards[-1].turn if cards else turn


def _contents_line(part: Section) -> str:
    about = ", ".join(filter(None, (escape_line(part.kind), words.plural(part.transcript.entries, "entry", "entries"))))
    title = escape_line(part.title[:140]) if part.depth else "The session"
    return f"{'  ' * part.depth}- [{title}](#{part.anchor}) ({about})\n"


def _turn(number: int, turn: Turn) -> str:
    facts = [words.plural(turn.requests, "request"), f"{words.tokens(turn.total)} tokens"] if turn.requests else []
    facts += [f"cost {words.money(turn.cost)}"] if turn.requests else []
    facts += [words.duration(turn.duration)] if turn.duration is not None else []
    facts += [words.plural(turn.errors, "error")] if turn.errors else []
    return f"### Turn {number}\n\n" + (f"*{' · '.join(facts)}*\n\n" if facts else "")


def session_facts(head: SessionHead) -> list[tuple[str, str]]:
    """The facts at the top of an export."""
    transcript = head.transcript
    facts = [
        ("Session", head.public_id),
        ("Project", transcript.cwd or transcript.project.name),
        ("Branch", transcript.branch),
        ("From", moment(transcript.first_at)),
        ("To", moment(transcript.last_at)),
        ("Models", ", ".join(head.models) or words.UNKNOWN),
        ("Size", f"{words.plural(transcript.turns, 'turn')}, {words.plural(transcript.entries, 'entry', 'entries')}"),
        ("Tokens", _tokens(transcript)),
        ("Cost", _cost(transcript.cost, transcript.unpriced)),
        ("Sub-agents", _agents(head)),
        ("Not readable", words.plural(transcript.bad_lines, "line") if transcript.bad_lines else ""),
    ]
    return [(name, clean_text(value)) for name, value in facts if value]


def _tokens(transcript: Transcript) -> str:
    written = transcript.cache_write_5m + transcript.cache_write_1h
    kinds = (
        (transcript.input, "fresh"),
        (transcript.cache_read, "read from the cache"),
        (written, "written to it"),
        (transcript.output, "output"),
    )
    return f"{words.tokens(transcript.tokens)} ({', '.join(f'{words.tokens(n)} {name}' for n, name in kinds)})"


def _cost(cost: float, unpriced: int) -> str:
    if not unpriced:
        return words.money(cost)
    why = f"no price is known for {words.plural(unpriced, 'request')}"
    return f"at least {words.money(cost)}: {why}" if cost else f"{words.UNKNOWN}: {why}"


def _agents(head: SessionHead) -> str:
    spent = head.agents
    if not spent.agents:
        return ""
    return f"{spent.agents}, on top: {words.tokens(spent.tokens)} tokens, {_cost(spent.cost, spent.unpriced)}"


@lru_cache(maxsize=1)
def styles() -> str:
    return "\n".join(Path(str(finders.find(name))).read_text("utf-8") for name in STYLES)
