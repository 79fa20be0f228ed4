"""A session as a document that stands alone: Markdown text, names of files, pictures as part of the page."""

from __future__ import annotations

from sessions.export.engine.cards import card_markdown
from sessions.export.engine.fences import escape_line, make_code_span, make_fence
from sessions.export.engine.filename import make_filename
from sessions.export.engine.inlined import MAX_PICTURE, data_uri

__all__ = ["MAX_PICTURE", "card_markdown", "data_uri", "escape_line", "make_code_span", "make_fence", "make_filename"]
