"""The two requests of a break of the cache as one unified diff, for a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff
from itertools import takewhile

from compaction.models import CacheBreak
from sessions.context.engine import Context
from sessions.secrets.engine import mask, mask_json
from sessions.text.engine.invisible_characters import spell_invisible

AROUND = 3
"""Lines before and after each difference."""


def break_diff(row: CacheBreak, before: Context, after: Context) -> Iterator[str]:
    """The lines of the file: both requests, the causes, and then the difference. Secrets are masked."""
    yield f"# {row.previous_message_id} ({before.exactness}) and {row.message_id} ({after.exactness})"
    for cause in row.causes:
        yield f"# {cause.get('name')}: {mask(' '.join(str(cause.get('sentence', '')).split()))}"
    old, new = (_lines(context) for context in (before, after))
    # Requests of a conversation begin alike, and difflib is slow for equal lines.
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    skipped = max(0, same - AROUND)
    if skipped:
        yield f"# The first {skipped} lines are the same."
    names = (f"request {row.previous_message_id}", f"request {row.message_id}")
    for line in unified_diff(old[skipped:], new[skipped:], *names, n=AROUND, lineterm=""):
        yield spell_invisible(line)


def _lines(context: Context) -> list[str]:
    setup = context.setup
    body = {
        "model": context.model,
        "params": dict(setup.params),
        "tools": None if setup.tools is None else [dict(tool) for tool in setup.tools],
        "system": None if setup.system is None else [dict(block) for block in setup.system],
        "messages": [element.to_api() for element in context.elements],
    }
    # A text keeps its lines, so that a changed word shows its line instead of a paragraph.
    return [
        part
        for line in json.dumps(mask_json(body), indent=1, ensure_ascii=False).split("\n")
        for part in line.split("\\n")
    ]
