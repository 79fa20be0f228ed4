"""The result of linking one transcript file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sessions.linking.engine.state import LinkState
from sessions.transcripts.engine.marks import Mark


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the ways that the conversation took from `fork`, or from the start if that is None.

    Only the active branch grows with the file: its `last` and `size` are those of the last full link.
    """

    fork: int | None
    first: int
    last: int
    size: int
    active: bool


@dataclass(frozen=True, slots=True)
class InlineAgent:
    """A sub-agent whose records are in the main file (up to 2.0.2x)."""

    root: int
    first: int
    last: int
    size: int
    call: int | None
    """The Task call that started it, where its prompt says so."""


@dataclass(frozen=True)
class LinkedTranscript:
    """All numbers are positions. What an import does not store is computed on demand."""

    leaf: int | None
    marks: tuple[Mark, ...]
    duplicates: tuple[int, ...]
    """Records whose uuid occurs earlier in the file."""
    inline_agents: tuple[InlineAgent, ...]
    dangling: int
    """Records whose parent is not in the file."""
    cycles: int
    state: LinkState
    """What `advance` needs to decide whether appended records only extend the branch."""
    find_parents: Callable[[], Mapping[int, int | None]] = field(repr=False, compare=False)
    find_branches: Callable[[], tuple[Branch, ...]] = field(repr=False, compare=False)

    @cached_property
    def parents(self) -> Mapping[int, int | None]:
        """Effective parents, only where they differ from what the record says. None = a root."""
        return self.find_parents()

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        return self.find_branches()
