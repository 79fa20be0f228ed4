"""How to reach workers that help with a large import. The inspector registers this by a name, because most processes
import nothing and the code for it is slow to load. Without it, imports are not shared."""

from __future__ import annotations

from typing import Protocol

from django.utils.module_loading import import_string


class ImportWorkers(Protocol):
    def places(self) -> int:
        """How many portions the workers that answer now could read at the same time."""

    def call(self, shared_import: int, count: int) -> None:
        """Asks for `count` helpers with this shared import. It may get none."""


_name = ""


def import_workers_register(name: str) -> None:
    global _name
    _name = name


def import_workers() -> ImportWorkers | None:
    if not _name:
        return None
    registered: ImportWorkers = import_string(_name)
    return registered
