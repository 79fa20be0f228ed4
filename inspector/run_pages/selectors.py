"""One run in full: its turns, what it spent, and its parameters and result as facts that a person can read."""

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

MOST_ITEMS = 20
LONGEST = 600
APART = ("summary", "alarm", "links", "listed", "hooks_seen")
"""What is shown elsewhere: `listed` on a page of its own; or is for the program alone."""
STRETCHES = ("damage", "repairs")
"""What a check names piece by piece: shown as a table."""

ENDINGS: dict[str, Callable[[float], str]] = {
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
class Stretch:
    """A piece of the archive that a check names."""

    session: str
    """The transcript that has a page; empty if there is none."""
    path: str
    start: int
    end: int
    what: str
    repairable: bool


@dataclass(frozen=True, slots=True)
class RunDetail:
    card: RunCard
    turns: tuple[Turn, ...]
    """The last one first."""
    spent: TokenBar
    parameters: list[Fact]
    result: list[Fact]
    links: list[tuple[str, str]]
    raw: str
    retries: list[Run]
    captures: int
    """Requests of its own that were captured."""
    damage: list[Stretch]
    """What a check has found damaged."""
    repairs: list[Stretch]
    """What was brought back."""

    @property
    def run(self) -> Run:
        return self.card.run


def run_detail(run_id: int, now: int) -> RunDetail | None:
    asked = Capture.objects.filter(run_id=OuterRef("pk")).order_by().values("run_id")
    counted = Subquery(asked.annotate(number=Count("pk")).values("number"))
    run = Run.objects.select_related("retry_of").annotate(captures=counted).filter(pk=run_id).first()
    if run is None:
        return None
    return RunDetail(
        card=run_card(run, now),
        turns=tuple(_turn(told) for told in reversed(run.turns) if isinstance(told, dict)),
        spent=_spent(run),
        parameters=facts_of(run.parameters),
        result=facts_of(run.result),
        links=_links(run.result),
        raw=mask(json.dumps(run.result, indent=2, ensure_ascii=False)) if run.result else "",
        retries=list(run.retries.only("pk", "status").order_by("pk")[:MOST_ITEMS]),
        captures=run.captures or 0,
        damage=_stretches(run.result.get("damage")),
        repairs=_stretches(run.result.get("repairs")),
    )


def facts_of(values: Mapping[str, Any]) -> list[Fact]:
    """In the order in which they were given; what is empty is left out."""
    facts = []
    for name, value in values.items():
        if name in APART or value in ([], {}, "") or (name in STRETCHES and _stretches(value)):
            continue
        if isinstance(value, Mapping):
            value = [f"{key}: {_plain(one)}" for key, one in value.items()]
        if isinstance(value, list):
            items = tuple(_plain(one) for one in value[:MOST_ITEMS])
            facts.append(Fact(_label(name), f"{len(value):,}", items, max(0, len(value) - MOST_ITEMS)))
        else:
            facts.append(Fact(_label(name), _said(name, value)))
    return facts


def _said(name: str, value: Any) -> str:
    ending = ENDINGS.get(name.rpartition("_")[2])
    if ending is not None and isinstance(value, int | float) and not isinstance(value, bool):
        return ending(value)
    return _plain(value)


def _plain(value: Any) -> str:
    if value is None:
        return words.UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return mask(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _label(name: str) -> str:
    stem, _, ending = name.rpartition("_")
    text = (stem if stem and ending in ENDINGS and ending != "tokens" else name).replace("_", " ")
    return text[:1].upper() + text[1:]


def _links(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Only into these pages: a result may hold what a transcript said."""
    found = []
    for link in result.get("links") or ():
        match link:
            case [str(title), str(address)] if address.startswith("/") and not address.startswith("//"):
                found.append((title, address))
    return found


def _stretches(named: object) -> list[Stretch]:
    found = []
    for one in named if isinstance(named, list) else ():
        match one:
            case {"path": str(path), "what": str(what), "range": [int(start), int(end)]}:
                session = one.get("transcript") or ""
                found.append(Stretch(str(session), path, start, end, mask(what), bool(one.get("repairable"))))
    return found


def _turn(told: Mapping[str, Any]) -> Turn:
    tools = told.get("tools") or {}
    return Turn(
        number=int(told.get("number") or 0),
        at=told.get("at"),
        text=mask(str(told.get("text") or "")),
        tools=tuple(sorted(tools.items(), key=lambda tool: -tool[1])),
        files=tuple(told.get("files") or ()),
    )


def _spent(run: Run) -> TokenBar:
    return token_bar(
        [
            ("read", "read from cache", run.cache_read_tokens),
            ("written", "written to cache", run.cache_write_tokens),
            ("fresh", "fresh input", run.input_tokens),
            ("output", "output", run.output_tokens),
        ]
    )
