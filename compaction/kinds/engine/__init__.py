"""Every kind of compaction behind one function: what a person or a script asks for by name."""

from __future__ import annotations

from compaction.kinds.engine.apply import apply_kind
from compaction.kinds.engine.kind import (
    Applied,
    Kind,
    KindError,
    Parameters,
)
from compaction.kinds.engine.settings import Setting, config_of, settings_of

__all__ = ["Applied", "Kind", "KindError", "Parameters", "Setting", "apply_kind", "config_of", "settings_of"]
