"""Traces the sentences of a summary to the messages that they were made of.

Nothing is guessed from meaning. What counts is what both texts hold: the same words in a row, a name of a file, a piece
of code, words that hardly any other message has. The summary is indexed, and each message is gone through once.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.trail.engine.attribution.attribution import Attribution
from compaction.trail.engine.attribution.clues import clues_of
from compaction.trail.engine.attribution.finding import findings
from compaction.trail.engine.attribution.judging import judged
from compaction.trail.engine.attribution.summary import sections_of
from sessions.transcripts.engine.messages import Message


def attribute(summary: str, messages: Sequence[Message]) -> Attribution:
    """`summary`: as the model gave it, or as the transcript holds it, with the client's words around it.
    `messages`: those that it may have been made of."""
    sections = sections_of(summary)
    told = [section for section in sections if not section.frame]
    clues = [clue for section in told for clue in clues_of(section)]
    spoken = {sentence.number for section in told if section.spoken for sentence in section.sentences}
    return Attribution(sections, judged(clues, findings(clues, messages), messages, spoken))
