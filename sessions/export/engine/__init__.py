"""Parts of an exported document: Markdown, file names, embedded pictures."""

from __future__ import annotations

from sessions.export.engine.cards import card_markdown
from sessions.export.engine.embedded_pictures import MAX_PICTURE, data_uri
from sessions.export.engine.fences import escape_line, make_code_span, make_fence
from sessions.export.engine.filename import make_filename

__all__ = ["MAX_PICTURE", "card_markdown", "data_uri", "escape_line", "make_code_span", "make_fence", "make_filename"]
