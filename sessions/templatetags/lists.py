"""Long lists, built without templates, which take a third of a millisecond per row.

Every value must be escaped by hand, with `_e`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cache
from html import escape as _e

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from sessions.catalog.selectors.facets import ProjectNode
from sessions.search.selectors.hits import Hit
from sessions.templatetags.lucid import moment
from sessions.text.engine import words
from sessions.text.engine.excerpt import cut
from sessions.timeline.engine.ruler import Ruler, Strip

register = template.Library()

DEEPEST_STYLE = 4
TITLE_CHARS = 120
CURRENT = ' aria-current="true"'


@register.simple_tag
def project_links(projects: Iterable[ProjectNode], chosen: int | None = None) -> SafeString:
    address = _e(reverse("transcript-list"))
    return _join(
        f'<li class="depth-{min(node.depth, DEEPEST_STYLE)}"><a href="{address}?project={node.id}"'
        f' title="{_e(node.path)}"{CURRENT if node.id == chosen else ""}>'
        f'<span class="name">{_e(node.name)}</span><span class="count">{node.sessions}</span></a></li>'
        for node in projects
    )


@register.simple_tag
def project_options(projects: Iterable[ProjectNode], chosen: int | None = None) -> SafeString:
    return _join(
        f'<option value="{node.id}"{" selected" if node.id == chosen else ""}>{_e(node.name)}</option>'
        for node in projects
    )


@register.simple_tag
def hit_rows(hits: Iterable[Hit]) -> SafeString:
    now = time.time() * 1000
    address = cache(lambda transcript: _e(reverse("transcript-detail", args=[transcript])))
    return _join(_hit_row(hit, address(hit.transcript), now) for hit in hits)


def _hit_row(hit: Hit, address: str, now: float) -> str:
    title = cut(hit.title or "Untitled session", TITLE_CHARS)
    when = "" if hit.at is None else f'<time title="{_e(moment(hit.at))}">{_e(words.ago(hit.at, now))}</time>'
    snippet = "".join(f"<mark>{_e(text)}</mark>" if is_match else _e(text) for text, is_match in hit.snippet)
    snippet = f"<b>Damaged:</b> {_e(hit.damage)}" if hit.damage else snippet
    place = f"{address}?at={hit.position}#e{hit.position}"
    return (
        f'<li class="hit item"><div class="hit-head"><a class="what" href="{place}">'
        f'{_e(title)}</a> <span class="chip">{_e(hit.role)}</span> <span class="where">{_e(hit.project)}</span>'
        f' <span class="when">{when}</span></div><p class="snippet">{snippet}</p></li>'
    )


@register.simple_tag
def ruler_strips(ruler: Ruler, more: str = "") -> SafeString:
    """The columns of a ruler. `more`: further parameters of the page's query."""
    return _join(_strip(strip, _e(more)) for strip in ruler.strips)


def _strip(strip: Strip, more: str) -> str:
    facts = [f"entry {strip.position}"]
    if strip.tokens is not None:
        facts.append(f"{words.tokens(strip.tokens)} tokens")
    if strip.boundaries:
        facts.append("compacted")
    if strip.errors:
        facts.append(words.plural(strip.errors, "error"))
    return (
        f'<a href="?at={strip.position}{more}#e{strip.position}" tabindex="-1">'
        f'<rect x="{strip.x:g}" width="{strip.width:g}"><title>{_e(", ".join(facts))}</title></rect></a>'
    )


def _join(rows: Iterable[str]) -> SafeString:
    return mark_safe("\n".join(rows))  # noqa: S308 - see above
