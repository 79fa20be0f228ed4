"""Memory directories in a few words, and what is found in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory.files.engine.reading import MemoryDirectory, MemoryFile, directory_from_contents, parse_file
from memory.lint.engine import Changes, Finding, Surroundings, lint

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
WRITTEN = datetime(2026, 11, 10, 12, tzinfo=UTC)
"""A Tuesday; when all files were last changed."""
GOOD = "Print heights in metres.\n\n**Why:** the office does.\n\n**How to apply:** in every table.\n"


def topic(body: str = GOOD, **fields: str) -> str:
    fields = {"name": "a", "description": "How heights are printed", "type": "feedback", **fields}
    header = "".join(f"{key}: {value}\n" for key, value in fields.items() if value)
    return f"---\n{header}---\n\n{body}"


def memory(index: str | None = None, **files: str | bytes) -> MemoryDirectory:
    """Topics by their stems. Without an index, one that points to each of them."""
    contents = {f"{name}.md": text.encode() if isinstance(text, str) else text for name, text in files.items()}
    if index is None:
        index = "".join(f"- [{name}]({name}) — about it\n" for name in contents)
    contents["MEMORY.md"] = index.encode()
    return directory_from_contents("/memory", contents, mtime_ns=int(WRITTEN.timestamp() * 1e9))


def findings_in(directory: MemoryDirectory, **surroundings: Any) -> list[Finding]:
    return lint(directory, Surroundings(now=NOW, **surroundings))


def places(directory: MemoryDirectory, **surroundings: Any) -> list[tuple[str, str, int | None]]:
    return [(finding.rule, finding.file, finding.line) for finding in findings_in(directory, **surroundings)]


def rules(directory: MemoryDirectory, **surroundings: Any) -> set[str]:
    return {finding.rule for finding in findings_in(directory, **surroundings)}


def only(directory: MemoryDirectory, rule: str, **surroundings: Any) -> Finding:
    (finding,) = [finding for finding in findings_in(directory, **surroundings) if finding.rule == rule]
    return finding


def fixed(directory: MemoryDirectory, finding: Finding) -> MemoryDirectory:
    """The directory after a press of the button."""
    assert finding.fix
    return applied(directory, finding.fix.changes())


def applied(directory: MemoryDirectory, changes: Changes) -> MemoryDirectory:
    files: dict[str, MemoryFile] = dict(directory.by_name)
    for name, data in changes.items():
        if data is None:
            del files[name]
        else:
            files[name] = parse_file(name, data, mtime_ns=int(WRITTEN.timestamp() * 1e9))
    return MemoryDirectory(directory.path, tuple(files[name] for name in sorted(files)))
