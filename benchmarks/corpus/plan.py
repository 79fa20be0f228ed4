"""Which sessions a corpus has: how many, in which projects, how large, and who hides a needle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from benchmarks.corpus.needles import NEEDLES, Needle
from benchmarks.corpus.records import uuid_make

MB = 1_000_000
SPREAD = 1.2
SMALLEST = 6_000


@dataclass(frozen=True, slots=True)
class Size:
    name: str
    total: int
    sessions: int
    projects: int


@dataclass(frozen=True, slots=True)
class SessionPlan:
    session_id: str
    project: str
    cwd: str
    size: int
    needles: tuple[Needle, ...] = ()
    solo: bool = False
    """The main file alone has the wanted size, and there are no sub-agents."""


SIZES = {
    size.name: size
    for size in (
        Size("S", 20 * MB, 24, 4),
        Size("M", 300 * MB, 300, 15),
        Size("L", 1500 * MB, 1500, 40),
        Size("huge", 100 * MB, 1, 1),
        Size("one-mb", 1 * MB, 1, 1),
    )
}


def sessions_plan(size: Size, seed: int) -> list[SessionPlan]:
    rng = Random(f"plan {size.name} {seed}")
    draws = [rng.lognormvariate(0, SPREAD) for _ in range(size.sessions)]
    wanted = [max(SMALLEST, int(size.total * draw / sum(draws))) for draw in draws]
    folders = [f"/home/dev/{rng.choice(('work', 'src', 'code'))}/{_name(rng)}" for _ in range(size.projects)]
    hosts = _hosts(size, wanted, rng)
    plans = []
    for number, target in enumerate(wanted):
        cwd = folders[number] if number < len(folders) else rng.choice(folders)
        project = re.sub(r"[^A-Za-z0-9]", "-", cwd)
        needles = (hosts[number],) if number in hosts else ()
        plans.append(SessionPlan(uuid_make(rng), project, cwd, target, needles, solo=size.sessions == 1))
    return plans


def _hosts(size: Size, wanted: list[int], rng: Random) -> dict[int, Needle]:
    """Sessions of ordinary size, one needle each; a corpus of one session hides none."""
    if size.sessions < len(NEEDLES):
        return {}
    by_size = sorted(range(len(wanted)), key=lambda number: -wanted[number])
    ordinary = by_size[: max(len(NEEDLES), len(wanted) * 2 // 3)]
    return dict(zip(rng.sample(ordinary, len(NEEDLES)), NEEDLES, strict=True))


def _name(rng: Random) -> str:
    adjective = rng.choice(("amber", "brisk", "calm", "dusty", "early", "faint", "grand", "hollow", "ivory", "jolly"))
    noun = rng.choice(
        ("atlas", "beacon", "canvas", "ledger", "harbor", "meter", "orchard", "parser", "relay", "signal")
    )
    return f"{adjective}-{noun}-{rng.randrange(100)}"
