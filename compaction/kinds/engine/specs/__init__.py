"""The kinds of compaction: each has a module, and a line here."""

from __future__ import annotations

from compaction.kinds.engine.spec import KindError, KindSpec
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.partial import PARTIAL_FROM, PARTIAL_UP_TO
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP

# In the order of the page, whose form opens with the first.
KINDS: tuple[KindSpec, ...] = (
    AUTO,
    BUDGET,
    SNIP,
    MICROCOMPACT,
    COLLAPSE,
    SESSION_MEMORY,
    FULL,
    PARTIAL_FROM,
    PARTIAL_UP_TO,
)


def all_kinds() -> tuple[KindSpec, ...]:
    return KINDS


def kind_named(name: str) -> KindSpec:
    """Raises KindError if there is none."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise KindError(f"There is no compaction of the kind {name[:60]!r}.")
