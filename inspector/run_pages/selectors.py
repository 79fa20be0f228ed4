"""A run in full: its turns, its tokens, and its parameters and result in readable form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Subquery

from inspector.runs.models import Run
from inspector.runs.selectors.lists import RunCard, run_card
from inspector.web.svg import TokenBar, token_bar
from sessions.models import Capture
from sessions.secrets.engine import mask
from sessions.text.engine import words
from sessions.text.engine.excerpt import cut

MOST_ITEMS = 20
LONGEST = 600
SEPARATE_FIELDS = ("summary", "alarm", "links", "listed", "hooks_seen")
"""Not shown as facts: they have their own place on the page, a page of their own (`listed`), or are internal."""
PIECE_FIELDS = ("damage", "repairs")
"""The pieces of the archive that a check names; they are shown as tables."""

FORMATS: dict[str, Callable[[float], str]] = {
    "bytes": words.size,
    "seconds": lambda value: words.duration(1000 * value),
    "ms": words.duration,
    "tokens": words.tokens,
    "usd": words.money,
}


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    value: str
    items: tuple[str, ...] = ()
    more: int = 0
    """Items that are not shown."""


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    at: int | None
    text: str
    tools: tuple[tuple[str, int], ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArchivePiece:
    """A piece of the archive that a check found damaged or repaired."""

    session: str
    """The public id of its transcript; empty if that has no page."""
    path: str
    start: int
    end: int
    problem: str
    repairable: bool


@dataclass(frozen=True, slots=True)
class RunDetail:
    card: RunCard
    turns: tuple[Turn, ...]
    """The latest first."""
    token_bar: TokenBar
    parameters: list[Fact]
    result: list[Fact]
    links: list[tuple[str, str]]
    raw: str
    retries: list[Run]
    captures: int
    """The number of its requests that were captured."""
    damage: list[ArchivePiece]
    """What a check has found damaged."""
    repairs: list[ArchivePiece]
    """What a repair has brought back."""

    @property
    def run(self) -> Run:
        return self.card.run


def run_detail(run_id: int, now: int) -> RunDetail | None:
    captures = Capture.objects.filter(run_id=OuterRef("pk")).order_by().values("run_id")
    capture_count = Subquery(captures.annotate(number=Count("pk")).values("number"))
    run = Run.objects.select_related("retry_of").annotate(captures=capture_count).filter(pk=run_id).first()
    if run is None:
        return None
    return RunDetail(
        card=run_card(run, now),
        turns=tuple(_read_turn(turn) for turn in reversed(run.turns) if isinstance(turn, dict)),
        token_bar=_token_bar(run),
        parameters=facts_of(run.parameters),
        result=facts_of(run.result),
        links=_read_links(run.result),
        raw=mask(json.dumps(run.result, indent=2, ensure_ascii=False)) if run.result else "",
        retries=list(run.retries.only("pk", "status").order_by("pk")[:MOST_ITEMS]),
        captures=run.captures or 0,
        damage=_read_pieces(run.result.get("damage")),
        repairs=_read_pieces(run.result.get("repairs")),
    )


def facts_of(values: Mapping[str, Any]) -> list[Fact]:
    """In their order, without empty values."""
    facts = []
    for name, value in values.items():
        if name in SEPARATE_FIELDS or value in ([], {}, "") or (name in PIECE_FIELDS and _read_pieces(value)):
            continue
        if isinstance(value, Mapping):
            value = [f"{key}: {_format_plain(item)}" for key, item in value.items()]
        if isinstance(value, list):
            items = tuple(_format_plain(item) for item in value[:MOST_ITEMS])
            facts.append(Fact(_format_label(name), f"{len(value):,}", items, max(0, len(value) - MOST_ITEMS)))
        else:
            facts.append(Fact(_format_label(name), _format_value(name, value)))
    return facts


def _format_value(name: str, value: Any) -> str:
    format_number = FORMATS.get(name.rpartition("_")[2])
    if format_number is not None and isinstance(value, int | float) and not isinstance(value, bool):
        return format_number(value)
    return _format_plain(value)


def _format_plain(value: Any) -> str:
    if value is None:
        return words.UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return mask(cut(text, LONGEST))


def _format_label(name: str) -> str:
    stem, _, unit = name.rpartition("_")
    text = (stem if stem and unit in FORMATS and unit != "tokens" else name).replace("_", " ")
    return text[:1].upper() + text[1:]


def _read_links(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Only links into Lucid itself: a result may quote a transcript."""
    links = []
    for link in result.get("links") or ():
        match link:
            case [str(title), str(address)] if address.startswith("/") and not address.startswith("//"):
                links.append((title, address))
    return links


def _read_pieces(values: object) -> list[ArchivePiece]:
    pieces = []
    for value in values if isinstance(values, list) else ():
        match value:
            case {"path": str(path), "what": str(problem), "range": [int(start), int(end)]}:
                session, repairable = str(value.get("transcript") or ""), bool(value.get("repairable"))
                pieces.append(ArchivePiece(session, path, start, end, mask(problem), repairable))
    return pieces


def _read_turn(values: Mapping[str, Any]) -> Turn:
    tools = values.get("tools") or {}
    return Turn(
        number=int(values.get("number") or 0),
        at=values.get("at"),
        text=mask(str(values.get("text") or "")),
        tools=tuple(sorted(tools.items(), key=lambda tool: -tool[1])),
        files=tuple(values.get("files") or ()),
    )


def _token_bar(run: Run) -> TokenBar:
    return token_bar(
        [
            ("read", "read from cache", run.cache_read_tokens),
            ("written", "written to cache", run.cache_write_tokens),
            ("fresh", "fresh input", run.input_tokens),
            ("output", "output", run.output_tokens),
        ]
    )
