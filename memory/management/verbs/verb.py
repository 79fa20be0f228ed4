"""The form of a verb of `lucid memory`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Protocol

from django.core.management.base import CommandError, OutputWrapper

from memory.files.engine.reading import DirectoryMissingError, MemoryDirectory, read_directory
from sessions.text.engine.terminal import printable


class Verb(Protocol):
    HELP: str
    NEEDS_DATABASE: bool

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, options: dict[str, Any], out: OutputWrapper) -> None: ...


def directory_at(path: Path) -> MemoryDirectory:
    try:
        return read_directory(path)
    except DirectoryMissingError as error:
        raise CommandError(printable(str(error))) from error
