"""Files that are stored more than once: the same path, with the same bytes, in several sources. An import that
another one disturbed could leave that, before imports of several hosts were locked where the data is."""

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
    """What a file held twice at different times counts too: it cannot be told apart, and takes the same room."""
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
