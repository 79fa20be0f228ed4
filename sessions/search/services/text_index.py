"""Writes the text index: contentless FTS5 on SQLite, tsvector on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from sessions.search.engine.word_folding import fold_words

# Limits of a tsvector: positions up to 16,383, 255 positions per word, words under 2 KB, one megabyte in all.
PIECE_WORDS = 16_000
PIECE_CHARS = 200_000
SAME_WORD = 255
WORD_CHARS = 400
OVERLAP = 32
"""Words that the pieces of a long text share, so that phrases across their border are found."""


def add_texts(cursor: Any, rows: Sequence[tuple[int, str]]) -> None:
    if not rows:
        return
    if connection.vendor == "sqlite":
        cursor.executemany("INSERT INTO transcripts_text (rowid, text) VALUES (%s, %s)", rows)
        return
    cursor.executemany(
        "INSERT INTO transcripts_text (entry_id, piece, body) VALUES (%s, %s, %s::tsvector)"
        " ON CONFLICT (entry_id, piece) DO NOTHING",
        [(entry, number, body) for entry, text in rows for number, body in enumerate(make_vectors(text))],
    )


def make_vectors(text: str) -> Iterator[str]:
    """The text as tsvectors: each word with its positions."""
    positions: dict[str, list[int]] = {}
    start, chars = 0, 0
    words = [word[:WORD_CHARS] for word in fold_words(text)]
    for number, word in enumerate(words):
        is_full = number - start >= PIECE_WORDS or chars >= PIECE_CHARS or len(positions.get(word, ())) >= SAME_WORD
        if is_full:
            yield _make_vector(positions)
            positions, chars, start = {}, 0, number - OVERLAP
            for number_before in range(start, number):
                positions.setdefault(words[number_before], []).append(number_before - start + 1)
        positions.setdefault(word, []).append(number - start + 1)
        chars += len(word)
    if positions:
        yield _make_vector(positions)


def _make_vector(positions: dict[str, list[int]]) -> str:
    # Words are letters and digits only, so they need no escaping.
    return " ".join(f"'{word}':{','.join(map(str, word_positions))}" for word, word_positions in positions.items())
