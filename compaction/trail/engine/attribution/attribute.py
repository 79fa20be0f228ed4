"""Traces the sentences of a summary to the messages that they were made from.

Nothing is guessed from meaning. Only what both texts contain counts: the same words in a row, the name of a file, a
piece of code, words that hardly any other message has. The summary is indexed, and each message is read once.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.trail.engine.attribution.attribution import Attribution
from compaction.trail.engine.attribution.clues import clues_of
from compaction.trail.engine.attribution.message_matches import match_messages
from compaction.trail.engine.attribution.source_ranking import rank_sources
from compaction.trail.engine.attribution.summary import sections_of
from sessions.transcripts.engine.messages import Message


def attribute(summary: str, messages: Sequence[Message]) -> Attribution:
    """`summary`: as the model wrote it, or as the transcript has it, with the client's words around it.
    `messages`: those that it may have been made from."""
    sections = sections_of(summary)
    own_sections = [section for section in sections if not section.is_frame]
    clues = [clue for section in own_sections for clue in clues_of(section)]
    user_quotes = {sentence.number for section in own_sections if section.quotes_user for sentence in section.sentences}
    return Attribution(sections, rank_sources(clues, match_messages(clues, messages), messages, user_quotes))
