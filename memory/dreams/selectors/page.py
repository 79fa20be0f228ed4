"""The page of dreams: every memory directory with its gates, what a dream would read and cost, and past dreams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.runs.models import Run
from inspector.runs.selectors.lists import RunCard, run_cards
from memory.dreams.engine.prompt import SYSTEM
from memory.dreams.selectors.gates import (
    DreamSituation,
    LockUnreadableError,
    directory_path,
    folders_by_memory,
    load_situation,
)
from memory.files.selectors.directories import visible_directories
from memory.models import Directory, Proposal
from memory.proposals.selectors.proposals import proposals_of
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage
from sessions.weights.engine import Content, Features, Rates, estimate_text

KINDS = ("dream", "tidy")
PAST = 5
"""Dreams of a directory that are shown."""
_READ_TWICE = 2
_ANSWERS = 4_000
"""Tokens of the answers of a short dream."""


@dataclass(frozen=True, slots=True)
class DreamPrice:
    """`least`: reading and writing memory once; `most`: all the tokens that a dream may use. None if unknown."""

    tokens: int
    least: float | None
    most: float | None
    limit: int


@dataclass(frozen=True, slots=True)
class DirectoryDreams:
    directory: Directory
    situation: DreamSituation | None
    problem: str
    """Why nothing can be told of it."""
    past: Sequence[Proposal]
    running: Sequence[RunCard]

    @property
    def closed_reason(self) -> str:
        """Why not even a person can start a dream; empty if that is possible."""
        if self.situation is None:
            return self.problem
        return next((gate.why for gate in self.situation.gates if gate.counts_by_hand and not gate.open), "")


def list_directory_dreams(*, enabled: bool, now_ms: int) -> list[DirectoryDreams]:
    """The existing directories, in the order of their projects."""
    directories = [directory for directory in visible_directories() if directory_path(directory).is_dir()]
    active = Run.objects.filter(kind__in=KINDS, status__in=(Run.Status.QUEUED, Run.Status.RUNNING)).order_by("-pk")
    cards = run_cards(active, now_ms)
    folders_of = folders_by_memory()
    return [
        directory_dreams(directory, enabled=enabled, now_ms=now_ms, cards=cards, folders_of=folders_of)
        for directory in directories
    ]


def directory_dreams(
    directory: Directory,
    *,
    enabled: bool,
    now_ms: int,
    cards: Sequence[RunCard] = (),
    folders_of: Mapping[str, list[Path]] | None = None,
) -> DirectoryDreams:
    problem, situation = "", None
    try:
        situation = load_situation(directory, enabled=enabled, now_ms=now_ms, folders_of=folders_of)
    except LockUnreadableError as error:
        problem = str(error)
    running = [card for card in cards if card.run.target == directory.path]
    return DirectoryDreams(directory, situation, problem, list(proposals_of(directory)[:PAST]), running)


def estimate_price(situation: DreamSituation, model: str, limit: int) -> DreamPrice:
    memory = Rates(model).estimate(Features(Content.RESULT, plain=situation.bytes))
    tokens = estimate_text(SYSTEM, model) + round(memory)
    least = cost_of(model, Usage(tokens * _READ_TWICE, output=_ANSWERS + tokens // 2))
    return DreamPrice(tokens, least, cost_of(model, Usage(limit)), limit)
