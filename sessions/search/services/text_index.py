"""Feeds the text index: FTS5 without a copy of the text on SQLite, tsvector on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from sessions.search.engine.folding import folded_words

# What PostgreSQL allows: positions up to 16,383, 255 of them per word, words under 2 KB, and a megabyte in all.
PIECE_WORDS = 16_000
PIECE_CHARS = 200_000
SAME_WORD = 255
WORD_CHARS = 400
OVERLAP = 32
"""A longer text is indexed in pieces. They share so many words, so that a phrase is found where one ends."""


def add(cursor: Any, rows: Sequence[tuple[int, str]]) -> None:
    if not rows:
        return
    if connection.vendor == "sqlite":
        cursor.executemany("INSERT INTO transcripts_text (rowid, text) VALUES (%s, %s)", rows)
        return
    cursor.executemany(
        "INSERT INTO transcripts_text (entry_id, piece, body) VALUES (%s, %s, %s::tsvector)"
        " ON CONFLICT (entry_id, piece) DO NOTHING",
        [(entry, number, body) for entry, text in rows for number, body in enumerate(vectors(text))],
    )


def vectors(text: str) -> Iterator[str]:
    """The text as tsvectors: each word with the places where it stands."""
    places: dict[str, list[int]] = {}
    begun, chars = 0, 0
    words = [word[:WORD_CHARS] for word in folded_words(text)]
    for number, word in enumerate(words):
        full = number - begun >= PIECE_WORDS or chars >= PIECE_CHARS or len(places.get(word, ())) >= SAME_WORD
        if full:
            yield _vector(places)
            places, chars, begun = {}, 0, number - OVERLAP
            for at in range(begun, number):
                places.setdefault(words[at], []).append(at - begun + 1)
        places.setdefault(word, []).append(number - begun + 1)
        chars += len(word)
    if places:
        yield _vector(places)


def _vector(places: dict[str, list[int]]) -> str:
    # Words are letters and digits only, so nothing in them needs to be escaped.
    return " ".join(f"'{word}':{','.join(map(str, at))}" for word, at in places.items())
