"""A session as a document that stands alone: Markdown text, names of files, pictures as part of the page."""

from __future__ import annotations

from sessions.export.engine.cards import card_markdown
from sessions.export.engine.fences import code, fenced, line
from sessions.export.engine.filename import filename
from sessions.export.engine.inlined import MAX_PICTURE, data_uri

__all__ = ["MAX_PICTURE", "card_markdown", "code", "data_uri", "fenced", "filename", "line"]
