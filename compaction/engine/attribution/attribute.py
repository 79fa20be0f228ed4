"""Traces the sentences of a summary to the messages that they were made of.

Nothing is guessed from meaning. What counts is what both texts hold: the same words in a row, a name of a file, a piece
of code, words that hardly any other message has. The summary is indexed, and each message is gone through once.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.engine.attribution.attribution import Attribution
from compaction.engine.attribution.clues import Clues, clues_of
from compaction.engine.attribution.finding import findings
from compaction.engine.attribution.judging import judged
from compaction.engine.attribution.summary import sections_of
from sessions.engine.messages import Message


def attribute(summary: str, messages: Sequence[Message]) -> Attribution:
    """`summary`: as the model gave it, or as the transcript holds it, with the client's words around it.
    `messages`: those that it may have been made of."""
    sections = sections_of(summary)
    clues: list[Clues] = []
    spoken: set[int] = set()
    for section in sections:
        if section.frame:
            continue
        clues += [clues_of(sentence, spoken=section.spoken) for sentence in section.sentences]
        if section.spoken:
            spoken |= {sentence.number for sentence in section.sentences}
    found = findings(clues, messages)
    return Attribution(sections, judged(clues, found, messages, spoken))
