"""Files that are stored more than once: the same path with the same bytes in several sources. Imports of several hosts
could leave those behind, before their lock was in the database."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sessions.models import Source


@dataclass(frozen=True, slots=True)
class DuplicateSource:
    path: str
    sources: tuple[int, ...]
    """From the first that was stored."""
    entries: int
    """That are stored beyond the first time."""


def duplicate_sources() -> list[DuplicateSource]:
    """Content that a file had twice at different times counts too: it looks the same, and takes the same space."""
    sources_by_content: dict[tuple[str, int, bytes, bytes], list[tuple[int, int]]] = defaultdict(list)
    columns = ("pk", "path", "archived", "head_hash", "tail_hash", "transcript__entries")
    rows = Source.objects.filter(archived__gt=0, owed=False).order_by("pk").values_list(*columns)
    for pk, path, archived, head, tail, entries in rows:
        sources_by_content[path, archived, bytes(head), bytes(tail)].append((pk, entries or 0))
    return [
        DuplicateSource(path, tuple(pk for pk, _ in copies), sum(entries for _, entries in copies[1:]))
        for (path, *_), copies in sorted(sources_by_content.items())
        if len(copies) > 1
    ]
