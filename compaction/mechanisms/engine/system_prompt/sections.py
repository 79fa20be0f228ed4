"""Sections of a system prompt. What is computed once stays the same until a clear or a compaction.

A section that is computed for every request breaks the cache whenever its text changes, so it has to say why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Compute = Callable[[], str | None]
"""The text of a section; None or nothing leaves it out."""


class UnexplainedSectionError(ValueError):
    """A volatile section without a reason."""


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    compute: Compute
    reason: str = ""
    """Why it is computed for every request; empty: it is computed once."""

    @property
    def volatile(self) -> bool:
        return bool(self.reason)


def computed_once(name: str, compute: Compute) -> Section:
    return Section(name, compute)


def volatile(name: str, compute: Compute, reason: str) -> Section:
    if not reason.strip():
        raise UnexplainedSectionError(f"section {name} is volatile without saying why")
    return Section(name, compute, reason)


@dataclass(frozen=True, slots=True)
class SectionState:
    """The texts that were computed. A clear or a compaction starts with an empty one."""

    texts: Mapping[str, str] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    """Volatile sections whose text was another one the last time: these broke the cache."""


def rendered(sections: Sequence[Section], state: SectionState | None = None) -> tuple[list[str], SectionState]:
    """The texts in order, without empty ones, and what to remember of them."""
    known = dict(state.texts) if state is not None else {}
    texts, changed = [], []
    for section in sections:
        before = known.get(section.name)
        if before is None or section.volatile:
            known[section.name] = section.compute() or ""
            if before is not None and before != known[section.name]:
                changed.append(section.name)
        if known[section.name].strip():
            texts.append(known[section.name])
    return texts, SectionState(known, tuple(changed))
