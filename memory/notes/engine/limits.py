"""How long notes may be. They will replace the conversation, and text beyond the limits is then lost."""

from __future__ import annotations

from dataclasses import dataclass

from memory.notes.engine.sections import sections_of, tokens_of


@dataclass(frozen=True, slots=True)
class NotesLimits:
    section: int = 2_000
    """Tokens, estimated; a longer section is cut when the notes become a summary."""
    total: int = 12_000


def find_overruns(text: str, limits: NotesLimits | None = None) -> tuple[str, ...]:
    """A sentence for each section that is too long, and one for the whole."""
    limits = limits or NotesLimits()
    sentences = [
        f"The section “{section.title}” has ~{section.tokens:,} tokens; {limits.section:,} are the limit."
        for section in sections_of(text)
        if section.title and section.tokens > limits.section
    ]
    total = tokens_of(text)
    if total > limits.total:
        sentences.append(f"The notes have ~{total:,} tokens in all; {limits.total:,} are the limit.")
    return tuple(sentences)
