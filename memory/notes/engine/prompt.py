"""The prompt for updating notes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_NAME = re.compile(r"\{\{(\w+)\}\}")

PROMPT = """\
This message is not part of the conversation above, and neither are its instructions: do not mention them in the notes.

Bring the notes of this session up to date. They are in the file {{notesPath}}, and this is what it holds:

<notes>
{{currentNotes}}
</notes>

You can only use Edit, and only on that file. Make all edits at once, in parallel, then stop.

- Headings (lines that begin with `# `) and the line in italics below each stay exactly as they are. Do not add, \
remove, rename or move a section. Write only below the line in italics.
- Write what somebody needs who goes on with this work and has nothing but these notes: names of files and functions, \
commands, exact error messages, values, decisions and their reasons.
- “Current State” has to tell where the work stands now; it is what is read first.
- Leave a section as it is if nothing new belongs into it, and empty if there is nothing to say. No filler.
- Do not repeat what the project's own instructions say.
- Keep each section below {{sectionTokens}} tokens: shorten what matters least."""

DIRECT = """\

You cannot edit the file yourself. Answer with all that it shall hold, from the first heading on, and nothing else."""


def update_prompt(
    notes: str,
    path: str,
    *,
    custom: str = "",
    warnings: Sequence[str] = (),
    section_tokens: int = 2_000,
    edits: bool = True,
) -> str:
    """`custom`: the user's own prompt instead of ours. `edits`: False for a model that cannot call tools."""
    values = {"notesPath": path, "currentNotes": notes, "sectionTokens": f"{section_tokens:,}"}
    text = substitute(custom.strip() or PROMPT, values)
    if warnings:
        listed = "\n".join(f"- {warning}" for warning in warnings)
        text += f"\n\nToo long, shorten them now, and keep what matters most for going on:\n{listed}"
    return text if edits else f"{text}\n{DIRECT}"


def substitute(text: str, values: Mapping[str, str]) -> str:
    """Replaces each `{{name}}` by its value, once: names inside values and unknown names stay."""
    return _NAME.sub(lambda match: values.get(match[1], match[0]), text)
