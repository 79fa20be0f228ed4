"""Sections of a system prompt. A section that is computed once stays the same until a clear or a compaction.

A section that is computed for every request breaks the cache whenever its text changes, so it must give a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Compute = Callable[[], str | None]
"""The text of a section; None or an empty text leaves it out."""


class UnexplainedSectionError(ValueError):
    """A volatile section without a reason."""


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    compute: Compute
    reason: str = ""
    """Why it is computed for every request; empty: it is computed once."""

    @property
    def is_volatile(self) -> bool:
        return bool(self.reason)


def stable_section(name: str, compute: Compute) -> Section:
    return Section(name, compute)


def volatile_section(name: str, compute: Compute, reason: str) -> Section:
    if not reason.strip():
        raise UnexplainedSectionError(f"section {name} is volatile without saying why")
    return Section(name, compute, reason)


@dataclass(frozen=True, slots=True)
class SectionState:
    """The texts that were computed. After a clear or a compaction, start with an empty state."""

    texts: Mapping[str, str] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    """Volatile sections whose text has changed since the last time: these broke the cache."""


def render_sections(sections: Sequence[Section], state: SectionState | None = None) -> tuple[list[str], SectionState]:
    """The texts in order, without empty ones, and the state to keep."""
    texts_by_name = dict(state.texts) if state is not None else {}
    texts, changed = [], []
    for section in sections:
        before = texts_by_name.get(section.name)
        if before is None or section.is_volatile:
            texts_by_name[section.name] = section.compute() or ""
            if before is not None and before != texts_by_name[section.name]:
                changed.append(section.name)
        if texts_by_name[section.name].strip():
            texts.append(texts_by_name[section.name])
    return texts, SectionState(texts_by_name, tuple(changed))
