"""Removes what a database refuses to store: PostgreSQL takes neither NUL characters nor halves of surrogate pairs, in
text or JSON. Transcripts, file names and addresses may contain both. The archive keeps the original bytes."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)|.)"
)


def storable_text(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def storable_json(document: str) -> str:
    """A JSON document without the escapes of such characters."""
    if "\\u" not in document:
        return document
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape.group(1) else escape.group(), document)
