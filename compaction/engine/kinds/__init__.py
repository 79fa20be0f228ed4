"""Every kind of compaction behind one function: what a person or a script asks for by name."""

from __future__ import annotations

from compaction.engine.kinds.apply import apply_kind
from compaction.engine.kinds.kind import Applied, Kind, KindError, Parameters
from compaction.engine.kinds.settings import Setting, config_of, settings_of

__all__ = ["Applied", "Kind", "KindError", "Parameters", "Setting", "apply_kind", "config_of", "settings_of"]
