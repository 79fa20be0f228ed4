"""How compactions follow each other: answers since the last one, and loops that free nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.text.engine.words import tokens

FEW_ANSWERS = 2
"""So few answers between two compactions are no work that the first made possible."""
LEAST_FREED = 0.1
"""A compaction that frees a smaller share has not helped."""
LEAST_IN_LOOP = 3


@dataclass(frozen=True, slots=True)
class Link:
    """A compaction among the others of its session."""

    number: int
    answers_since: int
    """Of the model, since the compaction before it or the beginning."""
    before: int | None = None
    """Tokens that the API counted in the last request before it and its answer, and in the first request after it."""
    after: int | None = None

    @property
    def has_helped(self) -> bool:
        return self.before is None or self.after is None or self.before - self.after >= LEAST_FREED * self.before


@dataclass(frozen=True, slots=True)
class Loop:
    links: tuple[Link, ...]

    @property
    def sentence(self) -> str:
        first, last = self.links[0], self.links[-1]
        most = max(link.answers_since for link in self.links[1:])
        between = "one answer" if most == 1 else f"{most} answers"
        return (
            f"Compactions {first.number} to {last.number} are a loop: {len(self.links)} in a row, with at most "
            f"{between} between them, and none freed a tenth of the context ({tokens(first.before)} before the first, "
            f"{tokens(last.after)} tokens after the last). What every request starts with is too large for the "
            "threshold."
        )


def loops_of(links: Sequence[Link]) -> list[Loop]:
    """Compactions in a row that did not help. The first may come after much work."""
    loops: list[Loop] = []
    run: list[Link] = []
    for link in links:
        if link.has_helped or (run and link.answers_since > FEW_ANSWERS):
            loops += [Loop(tuple(run))] if len(run) >= LEAST_IN_LOOP else []
            run = []
        if not link.has_helped:
            run.append(link)
    return [*loops, Loop(tuple(run))] if len(run) >= LEAST_IN_LOOP else loops
