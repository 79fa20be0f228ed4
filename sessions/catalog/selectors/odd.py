"""Unknown names, counted over all sessions, and lines that could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Min, QuerySet, Sum

from sessions.models import Oddity, Problem, Source


@dataclass(frozen=True, slots=True)
class UnknownName:
    what: str
    name: str
    count: int
    sessions: int
    example: Oddity
    """Its first occurrence in the first file that has it."""


def unknown_names() -> list[UnknownName]:
    """Every unknown type, subtype, attachment, block and key; within each kind, the most frequent first."""
    groups = list(
        _current_oddities()
        .values("what", "name")
        .annotate(total=Sum("count"), files=Count("transcript"), example=Min("id"))
        .order_by("what", "-total", "name")
        .values_list("what", "name", "total", "files", "example")
    )
    examples = Oddity.objects.select_related("transcript").defer(
        "transcript__ruler", "transcript__state", "transcript__meta"
    )
    by_id = examples.in_bulk([example for *_, example in groups])
    return [UnknownName(what, name, total, files, by_id[example]) for what, name, total, files, example in groups]


def count_unknown_names() -> int:
    return _current_oddities().values("what", "name").distinct().count()


def broken_lines() -> QuerySet[Problem]:
    """Lines that are not a JSON object, latest session first."""
    return (
        Problem.objects.exclude(transcript__source__state=Source.State.REPLACED)
        .select_related("transcript", "transcript__project")
        .defer("transcript__ruler", "transcript__state", "transcript__meta")
        .order_by("-transcript__last_at", "transcript", "offset")
    )


def broken_kinds() -> list[tuple[str, int]]:
    """The number of broken lines of each kind."""
    kinds = broken_lines().order_by().values("kind").annotate(lines=Count("id")).order_by("-lines", "kind")
    return list(kinds.values_list("kind", "lines"))


def _current_oddities() -> QuerySet[Oddity]:
    return Oddity.objects.exclude(transcript__source__state=Source.State.REPLACED).order_by()
