"""How to reach workers that help with a large import. Whoever composes the apps says so, by a name: most processes
import nothing, and what it takes to reach workers is slow to load. Without that, imports are not shared."""

from __future__ import annotations

from typing import Protocol

from django.utils.module_loading import import_string


class ImportWorkers(Protocol):
    def places(self) -> int:
        """How many portions could be read at a time by workers that answer now."""

    def call(self, shared_import: int, count: int) -> None:
        """Asks for help with the shared import of this number, so many times. Nobody may come."""


_name = ""


def import_workers_register(name: str) -> None:
    global _name
    _name = name


def import_workers() -> ImportWorkers | None:
    if not _name:
        return None
    registered: ImportWorkers = import_string(_name)
    return registered
