"""The page of dreams: every memory directory with its gates, what a dream of it would read and cost, and past ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.agents.usage import Usage
from inspector.budget.prices import price_of
from inspector.runs.models import Run
from inspector.runs.selectors.lists import RunCard, run_cards
from memory.dreams.engine.asking import SYSTEM
from memory.dreams.selectors.gates import (
    Ground,
    LockUnreadableError,
    directory_path,
    folders_by_memory,
    ground_of,
)
from memory.files.selectors.directories import visible_directories
from memory.models import Directory, Proposal
from memory.proposals.selectors.proposals import proposals_of

KINDS = ("dream", "tidy")
PAST = 5
"""Dreams of a directory that are shown."""
_READ_TWICE = 2
_ANSWERS = 4_000
"""Tokens of the answers of a short dream."""


@dataclass(frozen=True, slots=True)
class Price:
    """`least`: memory read and written once; `most`: all the tokens that a dream may use. None where unknown."""

    tokens: int
    least: float | None
    most: float | None
    limit: int


@dataclass(frozen=True, slots=True)
class Dreamable:
    directory: Directory
    ground: Ground | None
    problem: str
    """Why nothing can be told of it."""
    past: Sequence[Proposal]
    running: Sequence[RunCard]

    @property
    def shut(self) -> str:
        """Why not even a person's button works; empty if it does."""
        if self.ground is None:
            return self.problem
        return next((gate.why for gate in self.ground.gates if gate.counts_by_hand and not gate.open), "")


def dreamables(*, enabled: bool, now_ms: int) -> list[Dreamable]:
    """Those that are there, in the order of their projects."""
    directories = [one for one in visible_directories() if directory_path(one).is_dir()]
    active = Run.objects.filter(kind__in=KINDS, status__in=(Run.Status.QUEUED, Run.Status.RUNNING)).order_by("-pk")
    cards = run_cards(active, now_ms)
    shared = folders_by_memory()
    return [dreamable(one, enabled=enabled, now_ms=now_ms, cards=cards, shared=shared) for one in directories]


def dreamable(
    directory: Directory,
    *,
    enabled: bool,
    now_ms: int,
    cards: Sequence[RunCard] = (),
    shared: Mapping[str, list[Path]] | None = None,
) -> Dreamable:
    problem, ground = "", None
    try:
        ground = ground_of(directory, enabled=enabled, now_ms=now_ms, shared=shared)
    except LockUnreadableError as error:
        problem = str(error)
    running = [card for card in cards if card.run.target == directory.path]
    return Dreamable(directory, ground, problem, list(proposals_of(directory)[:PAST]), running)


def price(ground: Ground, model: str, limit: int) -> Price:
    tokens = (ground.bytes + len(SYSTEM)) // 3
    least = price_of(model, Usage(tokens * _READ_TWICE, output=_ANSWERS + tokens // 2))
    return Price(tokens, least, price_of(model, Usage(limit)), limit)
