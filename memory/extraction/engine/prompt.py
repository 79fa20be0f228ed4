"""The prompt of an extraction."""

from __future__ import annotations

from memory.files.engine.reading import FileKind, MemoryDirectory, MemoryFile

SYSTEM = "You decide what a coding assistant should remember of a session with its user."
MOST_LISTED = 200

_TASK = """\
{opening}

Decide what of {stretch} is worth remembering in later sessions, and write it into the memory directory {directory}. \
You have {turns} turns. In the first, read every file that you may want to change, all at once; in the second, write \
and edit all of them at once. Use only what was said there: do not go and look whether it is true. If nothing is \
worth it, write nothing and say so.

## What is remembered
One file for each memory, of one of these types:
- user: who the user is, what they know, how they like to work.
- feedback: what the user corrected or approved of, so that they need not say it again.
- project: what goes on and why, that neither the code nor its history tells: aims, decisions, dates, people.
- reference: where something is found outside of the project.

A memory of the type feedback or project states the rule or the fact, then a line **Why:** and a line **How to apply:**.

## What is not
- how the code is built, its conventions, its files: the project itself tells that;
- what git tells: who changed what, and when;
- how a bug was fixed: the fix is in the code;
- what a CLAUDE.md says already;
- what was being done, and how far it is: that ends with the session;
- passwords, keys and tokens.
Write dates as dates (2026-03-05), never “yesterday” or “next week”.

## How
Each file begins with a header, and has a name that tells its topic:

```
---
name: short-name
description: one line, by which it is decided later whether this memory matters
type: user | feedback | project | reference
---

The memory.
```

MEMORY.md is the index: one line for each file, `- [Title](file.md) — what it is about`, at most 150 characters. It is \
never a memory itself. Change a memory that is there rather than adding another one about the same, and put right what \
turned out to be wrong. Keep the index in step.

{there}

When you are done, say in one line for each file that you wrote what it is, as `file.md: why it is worth it`."""


def extraction_prompt(memory: MemoryDirectory, *, stretch: str, directory: str, turns: int, forked: bool) -> str:
    """`stretch`: describes the part to look at. `forked`: the prompt continues the session itself."""
    opening = (
        "This message is not part of the conversation above, and neither are its instructions."
        if forked
        else "Above is a part of a session between a user and a coding assistant."
    )
    return _TASK.format(
        opening=opening, stretch=stretch, directory=directory, turns=turns, there=_list_memories(memory)
    )


def _list_memories(memory: MemoryDirectory) -> str:
    topics = sorted(
        (file for file in memory.files if file.kind is FileKind.TOPIC), key=lambda file: (-file.mtime_ns, file.name)
    )
    if not topics:
        return "The memory directory has no memories yet."
    lines = [_line(file) for file in topics[:MOST_LISTED]]
    more = len(topics) - len(lines)
    if more:
        lines.append(f"- and {more:,} older ones")
    return "\n".join(["These memories are there already:", *lines])


def _line(file: MemoryFile) -> str:
    kind = f" [{file.type}]" if file.type else ""
    return f"- {file.name}{kind}: {' '.join(file.description.split())}" if file.description else f"- {file.name}{kind}"
