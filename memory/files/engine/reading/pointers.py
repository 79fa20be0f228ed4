"""Keeps the index and links in step with topics. Each function returns the new bytes of a file, or None if nothing
changes. What is not edited keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote

from memory.files.engine.reading.edits import with_line, with_line_added, without_lines
from memory.files.engine.reading.file import MemoryFile, parse_file
from memory.files.engine.reading.index import IndexEntry, format_entry, read_index
from memory.files.engine.reading.links import MARKDOWN_LINK, resolve_target
from memory.files.engine.reading.text import split_lines

_SAFE = "/-_.~!'*,;:@&=+$"


def find_pointer(index: MemoryFile, target: str) -> IndexEntry | None:
    """The first entry of the index that points to the file."""
    return next((entry for entry in read_index(index).entries if entry.target == target), None)


def with_pointer(index: MemoryFile, target: str, title: str, hook: str) -> bytes | None:
    """Updates the index line of the file, or appends one. A line that points to several files is not changed."""
    written = format_entry(_escape_label(title), quote(target, safe=_SAFE), " ".join(hook.split()))
    entry = find_pointer(index, target)
    if entry is None:
        return with_line_added(index, written)
    line = read_index(index).lines[entry.line - 1]
    if len(line.entries) > 1 or (entry.title, entry.hook) == (_escape_label(title), " ".join(hook.split())):
        return None
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    return with_line(index, entry.line, indent + written)


def without_pointers(index: MemoryFile, targets: Collection[str]) -> bytes | None:
    """Removes the lines that point only to these files. From lines that also point elsewhere, only the links go."""
    removed: set[int] = set()
    shared: dict[int, str] = {}
    for line in read_index(index).lines:
        if not any(entry.target in targets for entry in line.entries):
            continue
        if all(entry.target in targets for entry in line.entries):
            removed.add(line.number)
        else:
            shared[line.number] = MARKDOWN_LINK.sub(
                lambda link: link["title"] if resolve_target(link["target"]) in targets else link[0], line.text
            )
    if not removed and not shared:
        return None
    for number, text in shared.items():
        index = parse_file(index.name, with_line(index, number, text))
    return without_lines(index, removed)


def replace_links(file: MemoryFile, old: str, new: str) -> bytes | None:
    """Points Markdown and wiki links to `old` to `new` instead."""
    stem = re.escape(old.removesuffix(".md"))
    wiki = re.compile(rf"\[\[\s*{stem}(\.md)?\s*(?=[|\]])")
    lines = split_lines(file.source.text)
    changed = [_replace_in_line(line, wiki, old, new) for line in lines]
    return None if changed == lines else file.source.encode("".join(changed))


def _replace_in_line(line: str, wiki: re.Pattern[str], old: str, new: str) -> str:
    if "](" in line:
        line = MARKDOWN_LINK.sub(
            lambda link: (
                f"[{link['title']}]({quote(new, safe=_SAFE)})" if resolve_target(link["target"]) == old else link[0]
            ),
            line,
        )
    if "[[" in line:
        line = wiki.sub(lambda link: f"[[{new if link[1] else new.removesuffix('.md')}", line)
    return line


def _escape_label(title: str) -> str:
    """Makes a title safe between the brackets of a link."""
    return " ".join(title.replace("[", "(").replace("]", ")").split())
