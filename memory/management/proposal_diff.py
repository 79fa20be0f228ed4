"""The diff of a proposed file, for commands."""

from __future__ import annotations

from difflib import unified_diff

from memory.files.engine.newlines import text_for_editing
from memory.proposals.selectors.proposals import FileProposal


def format_diff(file: FileProposal) -> str:
    """In the format of `diff -u`."""
    old, new = text_for_editing(file.before or b""), text_for_editing(file.after or b"")
    before = f"a/{file.row.former_name or file.row.name}" if file.before is not None else "/dev/null"
    after = f"b/{file.row.name}" if file.after is not None else "/dev/null"
    return "\n".join(unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm=""))
