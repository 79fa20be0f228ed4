"""Where the sentences of a summary come from: the messages that each of them can be traced to, and by what."""

from __future__ import annotations

from compaction.trail.engine.attribution.attribute import attribute
from compaction.trail.engine.attribution.attribution import Attribution, Source, Why
from compaction.trail.engine.attribution.sentences import Form, Sentence
from compaction.trail.engine.attribution.summary import Section, sections_of

__all__ = ["Attribution", "Form", "Section", "Sentence", "Source", "Why", "attribute", "sections_of"]
