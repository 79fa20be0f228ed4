from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.search.engine.word_folding import fold_words

LETTERS = st.sampled_from("abcXYZ019_-./ \n'éÉüñøßşİıåΑαΣςάЖж潮한국,;:!?§²½Ⅳ\u0301")


@pytest.fixture(scope="module")
def index() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='unicode61 remove_diacritics 2')")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'instance')")
    return connection


@given(st.text(LETTERS, max_size=60))
def test_the_words_are_those_of_sqlite(index: sqlite3.Connection, text: str) -> None:
    # A mark that stands alone, or on a letter that is not Latin, is a matter of taste.
    text = text.replace("\u0301", "") if any(char > "\u0250" for char in text) else text.lstrip("\u0301")
    index.execute("DELETE FROM texts")
    index.execute("INSERT INTO texts VALUES (?)", [text])
    assert fold_words(text) == [word for (word,) in index.execute("SELECT term FROM words ORDER BY offset")]
