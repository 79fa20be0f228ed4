"""Numbers, times and cards in templates."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from django import template
from django.template.context import Context
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from inspector.web.addresses import entry_url, session_root
from inspector.web.sized_cache import fragment, fragments, template_named
from inspector.web.svg import Segment
from sessions.catalog.selectors.sessions import AgentTotals
from sessions.context.engine.presentation.messages import ElementView
from sessions.context.engine.presentation.pieces import PieceNote
from sessions.models import Transcript, Turn
from sessions.secrets.engine import mask
from sessions.text.engine import invisible_characters, words
from sessions.text.engine.diffs import Diff, Line
from sessions.timeline.engine.cards import Card, CardKind, Part, Picture
from sessions.timeline.engine.cards.pictures import SHOWABLE
from sessions.weights.engine import Basis, StoredSize, Weight
from sessions.weights.engine.prompt_size import read_weight
from sessions.weights.engine.sizes import Sizes

register = template.Library()
BASES = {
    Basis.MEASURED: "Counted by the API",
    Basis.APPORTIONED: "Its share of what the API counted",
    Basis.ESTIMATED: "Estimated: the API has counted nothing that tells",
}
MAY_BE_CUT = "The conversation may be cut here: nothing that belongs together would be parted"


@register.filter
def tokens(count: float | None, mark: str = "") -> str:
    """`12.4k`; with the argument "~", as an estimate."""
    return words.tokens(count, estimate=mark == "~")


@register.filter
def difference(count: int, mark: str = "") -> str:
    """`+ 12.4k` or `− ~3.1k`."""
    return f"{'−' if count < 0 else '+'} {words.tokens(abs(count), estimate=mark == '~')}"


@register.filter
def stored_size(value: Mapping[str, Any]) -> StoredSize:
    return StoredSize.from_json(value)


@register.filter
def stored_weight(value: Mapping[str, Any]) -> Weight | None:
    return read_weight(value)


@register.simple_tag
def tokens_of(weight: Weight | int | None, *thing: object) -> SafeString:
    """The size of a thing, for people and for programs: `thing` names it the same way on every page. What has no name
    is only shown. A number is what the API counted."""
    if isinstance(weight, int):
        return _named_count(weight, thing)
    name = " ".join(map(str, thing))
    if weight is not None and not name:
        return format_html('<span title="{}">{}</span>', BASES[weight.basis], tokens(weight.tokens, weight.mark))
    if weight is None:
        return format_html('<span class="unknown" data-of="{}" title="No count tells">unknown</span>', name)
    return format_html(
        '<span class="tokens" data-of="{}" data-tokens="{}" data-basis="{}" title="{}">{}</span>',
        name,
        round(weight.tokens),
        weight.basis,
        BASES[weight.basis],
        tokens(weight.tokens, weight.mark),
    )


def _named_count(count: int, thing: Sequence[object]) -> SafeString:
    """Without a tooltip of its own: what is around it often has one."""
    return format_html(
        '<span class="tokens" data-of="{}" data-tokens="{}" data-basis="{}">{}</span>',
        " ".join(map(str, thing)),
        count,
        Basis.MEASURED,
        tokens(count),
    )


@register.filter
def tokens_and_labels(segments: Iterable[Segment], mark: str = "") -> str:
    """A bar in words: `12k read, 3k fresh`."""
    return ", ".join([f"{tokens(segment.value, mark)} {segment.label}" for segment in segments])


@register.filter
def labels_and_tokens(segments: Iterable[Segment], mark: str = "") -> str:
    """A bar in words, where labels are names: `thinking 12k, tools 3k`."""
    return ", ".join([f"{segment.label} {tokens(segment.value, mark)}" for segment in segments])


@register.filter
def limits_in_words(sizes: Sizes) -> str:
    return f"the window has {tokens(sizes.window.tokens)}, auto-compact starts at {tokens(sizes.threshold)}"


@register.filter
def tokens_by_kind(spent: Transcript | Turn) -> str:
    return (
        f"{tokens(spent.input)} fresh, {tokens(spent.cache_read)} read from the cache, "
        f"{tokens(spent.cache_write)} written to it, {tokens(spent.output)} output"
    )


@register.filter
def agents_in_words(agents: AgentTotals) -> str:
    count, least = words.plural(agents.count, "sub-agent"), "at least " if agents.unpriced else ""
    return f"{count}, on top of this: {tokens(agents.tokens)} tokens, {least}{money(agents.cost)}"


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
    milliseconds = moment.timestamp() * 1000 if isinstance(moment, datetime) else moment
    return words.ago(milliseconds, time.time() * 1000)


@register.filter
def clock(milliseconds: int | None) -> str:
    """The time of day, in the time zone of the server."""
    return _clock(_moment(milliseconds))


@register.filter
def moment(milliseconds: int | None) -> str:
    """The exact time, for a tooltip."""
    return _exactly(_moment(milliseconds))


def _clock(exact: datetime | None) -> str:
    return exact.strftime("%H:%M:%S") if exact else "no time"


def _exactly(exact: datetime | None) -> str:
    return exact.strftime("%Y-%m-%d %H:%M:%S %Z") if exact else "time unknown"


def _moment(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, timezone.get_current_timezone())
    except (ValueError, OverflowError, OSError):
        return None


@register.filter
def visible(text: str) -> str:
    """Spells out control characters in a name from a transcript."""
    return invisible_characters.spell_invisible(text)


@register.filter
def masked(text: str) -> str:
    """Masks secrets and spells out control characters in a sentence that quotes a transcript."""
    return invisible_characters.spell_invisible(mask(text))


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
    return mark_safe("".join(pieces))  # noqa: S308 - every text in it went through escape


def _line(line: Line) -> str:
    text = "".join(f"<b>{escape(part)}</b>" if changed else escape(part) for part, changed in line.segments)
    if line.kind == "+":
        return f"<ins>{text}</ins>"
    if line.kind == "~":
        return f"<i>⋯ {text}</i>"
    return f"<del>{text}</del>" if line.kind == "-" else f" {text}\n"


class Stretch(Protocol):
    """Words that are unchanged, added or removed; or a number of characters that are left out."""

    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def elided(self) -> int: ...


@register.filter
def changed_words(stretches: Iterable[Stretch]) -> SafeString:
    """Like `diff`, word by word."""
    return mark_safe("".join([_stretch(stretch) for stretch in stretches]))  # noqa: S308 - every text is escaped


def _stretch(stretch: Stretch) -> str:
    text = f"<i>⋯ {stretch.elided} characters ⋯</i>" if stretch.elided else escape(stretch.text)
    tag = {"removed": "del", "added": "ins"}.get(stretch.kind)
    return f"<{tag}>{text}</{tag}>" if tag else text


@register.filter
def note_classes(notes: Iterable[PieceNote]) -> str:
    """A CSS class for each note, to append to others."""
    return "".join([f" {note.name}" for note in notes])


@register.filter
def range_query(gap: Any, part: str) -> str:
    """The query for a part of a page: the rows that a gap stands for."""
    return f"part={part}&first={gap.first}&end={gap.end}"


_FRAMES = {CardKind.BAR: "bar", CardKind.CHIPS: "chips"}


@register.simple_tag(takes_context=True)
def card(context: Context, card_shown: Card) -> SafeString:
    """One card of the timeline. Uses from the context `session` for links, `chosen` if the timeline is viewed from a
    request, and `oob` if the card replaces one on the page."""
    root = context.get("session_root") or session_root(context.get("session"))
    chosen, oob = bool(context.get("chosen")), bool(context.get("oob"))
    html = fragments.get((card, card_shown, root, chosen, oob), lambda: _card(card_shown, root, chosen=chosen, oob=oob))
    return SafeString(html)


def _card(card: Card, root: str, *, chosen: bool, oob: bool) -> SafeString:
    """The template gets plain values, because a page has a hundred cards and dotted lookups are slow."""
    tone = "bad" if card.error else card.tone
    states = (card.kind.value, tone, *(mark.fate.value for mark in card.marks))
    exact = _moment(card.at)
    context = Context({"session_root": root, "chosen": chosen, "oob": oob})
    return _render(
        context,
        "folded" if card.folded else _FRAMES.get(card.kind, "entry"),
        card=card,
        entry=entry_url(root, card.address),
        anchor=card.anchor,
        states=" ".join(state for state in states if state),
        title=card.title,
        summary=card.summary,
        facts=" · ".join(card.facts),
        marks=card.marks,
        clock=_clock(exact),
        moment=_exactly(exact),
        body=parts(context, card.parts),
        cut=card.cut,
        places=_places(card),
    )


def _places(card: Card) -> SafeString:
    """Anchors for the other records of a card, such as the result of a call."""
    return SafeString("".join([f'<span class="place" id="e{position}"></span>' for position in card.rows[1:]]))


@register.simple_tag(takes_context=True)
def parts(context: Context, parts_shown: tuple[Part, ...]) -> SafeString:
    return SafeString("".join([_render(context, f"part_{part.kind}", part=part) for part in parts_shown]))


def _render(context: Context, name: str, **values: Any) -> SafeString:
    with context.push(**values):
        return template_named(f"sessions/timeline/cards/{name}.html").render(context)


@register.simple_tag(takes_context=True)
def message(context: Context, element: ElementView) -> SafeString:
    """A message of a context. Uses `root` and `view` from the template context."""
    root, query = context["root"], context["view"].query
    return SafeString(
        fragment(
            "sessions/context/_message.html",
            item=element,
            root=root,
            query=query,
            point=context["view"].name,
            may_be_cut=MAY_BE_CUT,
        )
    )


@register.filter
def pages(session: Any) -> str:
    """The address under which the pages of a session are, for templates about several sessions."""
    return session_root(session)


register.filter(entry_url)


@register.filter
def at(values: Mapping[int, Any], position: int) -> Any:
    """The value for a position."""
    return values.get(position)


@register.filter
def showable(picture: Picture) -> bool:
    return picture.media_type.lower() in SHOWABLE
