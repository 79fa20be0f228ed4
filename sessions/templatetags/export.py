"""Cards of an exported page: as in the timeline, but without links to a server and with embedded pictures."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context
from django.template.loader import get_template
from django.utils.safestring import SafeString

from sessions.export.engine import data_uri
from sessions.templatetags.lucid import clock, moment
from sessions.text.engine.words import plural, size
from sessions.timeline.engine.cards import Card, CardKind, Changes, Output, Part, Picture

register = template.Library()

_LONG_TEXT = 2_500
_LONG_LINES = 30
_LONG_DIFF = 80
_OWN = {"output", "changes", "fold", "pictures", "spill"}
"""Parts with templates of their own here. The others have no links and are never folded."""


@register.simple_tag(takes_context=True)
def exported_card(context: Context, card: Card) -> SafeString:
    tone = "bad" if card.error else card.tone
    states = (card.kind.value, tone, *(mark.fate.value for mark in card.marks))
    name = {CardKind.BAR: "bar", CardKind.CHIPS: "chips"}.get(card.kind, "folded" if card.folded else "entry")
    return _render(
        context,
        f"sessions/export/{name}.html",
        card=card,
        states=" ".join(state for state in states if state),
        facts=" · ".join(card.facts),
        clock=clock(card.at),
        moment=moment(card.at),
        agent=context["agents"].get(card.agent_id, "") if card.agent_id else "",
    )


@register.simple_tag(takes_context=True)
def exported_parts(context: Context, parts: tuple[Part, ...]) -> SafeString:
    return SafeString("".join(_part(context, part) for part in parts))


def _part(context: Context, part: Part) -> SafeString:
    folder = "sessions/export" if part.kind in _OWN else "sessions/timeline/cards"
    return _render(context, f"{folder}/part_{part.kind}.html", part=part)


def _render(context: Context, name: str, **values: Any) -> SafeString:
    inherited = {key: context[key] for key in ("prefix", "records", "agents")}
    return SafeString(get_template(name).render({**inherited, **values}))


@register.simple_tag(takes_context=True)
def inline_picture(context: Context, picture: Picture) -> str:
    """The picture as a data: address; empty if it cannot be embedded."""
    record = context["records"].get(picture.address)
    return "" if record is None else data_uri(picture, record)


@register.filter
def extent(part: Output | Changes) -> str:
    """The length of a part that is folded because it is long; empty for other parts."""
    if isinstance(part, Changes):
        return plural(part.diff.length, "line") if part.diff.length > _LONG_DIFF else ""
    lines = part.text.count("\n") + 1
    if lines <= _LONG_LINES and len(part.text) <= _LONG_TEXT:
        return ""
    return f"{plural(lines, 'line')}, {size(len(part.text.encode('utf-8', 'replace')))}"
