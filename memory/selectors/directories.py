"""Memory directories as pages list them, and where the project of one lies on this machine."""

from __future__ import annotations

from pathlib import Path

from django.http import Http404

from memory.models import Directory


def directory_get(number: int) -> Directory:
    found = Directory.objects.select_related("project").filter(pk=number).first()
    if found is None:
        raise Http404(f"There is no memory directory {number}.")
    return found


def name_of(directory: Directory) -> str:
    """What a person calls it: the project, or for other directories the end of the path."""
    if directory.project is not None:
        return directory.project.name
    parts = Path(directory.path).parts
    if parts[-1:] == ("memory",) and len(parts) > 1:
        return parts[-2]
    return "/".join(parts[-2:])
