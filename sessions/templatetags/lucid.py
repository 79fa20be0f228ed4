"""Numbers, moments and cards in templates."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from django import template
from django.template.context import Context
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from sessions.engine import words
from sessions.engine.cards import Card, Part, Picture
from sessions.engine.cards.pictures import SHOWABLE
from sessions.engine.diffs import Diff, Line

register = template.Library()


@register.filter
def tokens(count: float | None, mark: str = "") -> str:
    """`12.4k`; with the argument "~", as an estimate."""
    return words.tokens(count, estimate=mark == "~")


@register.filter
def money(dollars: float | None, mark: str = "") -> str:
    return words.money(dollars, estimate=mark == "~")


@register.filter
def duration(milliseconds: float | None, mark: str = "") -> str:
    return words.duration(milliseconds, estimate=mark == "~")


@register.filter(name="bytes")
def bytes_(count: float | None, mark: str = "") -> str:
    return words.size(count, estimate=mark == "~")


@register.filter
def ago(moment: float | datetime | None) -> str:
    then = moment.timestamp() * 1000 if isinstance(moment, datetime) else moment
    return words.ago(then, time.time() * 1000)


@register.filter
def clock(milliseconds: int | None) -> str:
    """The time of day, in the time zone of the server."""
    moment = _moment(milliseconds)
    return f"{moment:%H:%M:%S}" if moment else "no time"


@register.filter
def moment(milliseconds: int | None) -> str:
    """The exact time, for a hint."""
    exact = _moment(milliseconds)
    return f"{exact:%Y-%m-%d %H:%M:%S %Z}" if exact else "time unknown"


def _moment(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(timezone.get_current_timezone())
    except (ValueError, OverflowError, OSError):
        return None


@register.filter
def diff(changes: Diff) -> SafeString:
    """The lines of a diff: <ins>, <del>, and <b> for the words that changed."""
    pieces: list[str] = []
    for hunk in changes.hunks:
        if hunk.new is not None:
            pieces.append(f"<i>line {hunk.new}</i>")
        elif pieces:
            pieces.append("<i>⋯</i>")
        pieces += [_line(line) for line in hunk.lines]
    return mark_safe("".join(pieces))  # every text in it went through escape


def _line(line: Line) -> str:
    text = "".join(f"<b>{escape(part)}</b>" if changed else escape(part) for part, changed in line.segments)
    if line.kind == "+":
        return f"<ins>{text}</ins>"
    return f"<del>{text}</del>" if line.kind == "-" else f" {text}\n"


@register.simple_tag(takes_context=True)
def card(context: Context, shown: Card) -> SafeString:
    """One card of the timeline. Looks up `session` in the context for its addresses."""
    root = context.get("session_root") or session_root(context.get("session"))
    name = shown.kind.value if shown.kind.value in ("bar", "chips") else "entry"
    entry = f"{root}entries/{quote(shown.address, safe='')}/"
    return _render(context, name, card=shown, session_root=root, entry=entry)


@register.simple_tag(takes_context=True)
def parts(context: Context, shown: tuple[Part, ...]) -> SafeString:
    return _render(context, "parts", parts=shown) if shown else SafeString("")


def _render(context: Context, name: str, **values: Any) -> SafeString:
    assert context.template is not None
    found = context.template.engine.get_template(f"transcripts/cards/{name}.html")
    with context.push(**values):
        return found.render(context)


def session_root(session: Any) -> str:
    """Where the pages of a session start."""
    return f"/sessions/{quote(str(getattr(session, 'public_id', '')), safe='')}/"


@register.filter
def entry_url(root: str, address: str | int | None) -> str:
    """The permalink of an entry by its address, or by its position."""
    return f"{root}entries/{quote(f'L{address}' if isinstance(address, int) else str(address), safe='')}/"


@register.filter
def showable(picture: Picture) -> bool:
    return picture.media_type.lower() in SHOWABLE
