"""The text index is no Django model: FTS5 on SQLite, a tsvector column on PostgreSQL."""

from __future__ import annotations

from typing import Any

from django.db import migrations

SQLITE = (
    # Without content: the text is in the archive already. Without column sizes: results are ordered by time, not rank.
    "CREATE VIRTUAL TABLE transcripts_text USING fts5(text, content='', columnsize=0,"
    " tokenize='unicode61 remove_diacritics 2')",
    # Larger pieces before they go to disk, and fewer merges of them: an import writes the index in half the time.
    "INSERT INTO transcripts_text (transcripts_text, rank) VALUES ('hashsize', 16000000)",
    "INSERT INTO transcripts_text (transcripts_text, rank) VALUES ('automerge', 16)",
)
POSTGRESQL = (
    # Pieces, because a tsvector is limited in size and in positions. The words in it are chosen by us: PostgreSQL's own
    # parser takes a path or an address for one word.
    "CREATE TABLE transcripts_text (entry_id bigint, piece integer, body tsvector NOT NULL,"
    " PRIMARY KEY (entry_id, piece))",
    "CREATE INDEX transcripts_text_body ON transcripts_text USING gin (body)",
)


def create(_apps: Any, editor: Any) -> None:
    for sql in SQLITE if editor.connection.vendor == "sqlite" else POSTGRESQL:
        editor.execute(sql)


def drop(_apps: Any, editor: Any) -> None:
    editor.execute("DROP TABLE transcripts_text")


class Migration(migrations.Migration):
    dependencies = [("transcripts", "0001_initial")]

    operations = [migrations.RunPython(create, drop)]
