"""Where the sentences of a summary come from: the messages that each can be traced to, and by which evidence."""

from __future__ import annotations

from compaction.trail.engine.attribution.attribute import attribute
from compaction.trail.engine.attribution.attribution import Attribution, Source, SourceKind
from compaction.trail.engine.attribution.sentences import Sentence, SentenceForm
from compaction.trail.engine.attribution.summary import Section, sections_of

__all__ = ["Attribution", "Section", "Sentence", "SentenceForm", "Source", "SourceKind", "attribute", "sections_of"]
