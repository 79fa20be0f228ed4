from __future__ import annotations

from typing import Any

from tests.sessions.writing import Writing

TAKES_SYSTEM, TAKES_NONE = "claude-opus-4-8", "claude-opus-4-5"


def note(writing: Writing, version: str, kind: str, **fields: Any) -> str:
    """An attachment as versions wrote it that kept its facts alone."""
    return writing.row("attachment", attachment={"type": kind, **fields}, version=version)
