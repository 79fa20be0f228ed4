"""A memory directory for tests, and short ways to act on it as a person, as an agent, and as a witness."""

from __future__ import annotations

import os
from pathlib import Path

from memory.files.engine.disk import digest_of
from memory.files.services.scanning import ScanResult, memory_scan
from memory.files.services.writing import delete, directory_register, memory_change, memory_write, rename
from memory.models import Batch, Directory
from sessions.transcripts.engine.paths import encode_path


class Shelf:
    """A directory with memory files."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path.resolve()
        self.directory: Directory = directory_register(path=encode_path(self.path))

    # As a person here.
    def write(self, name: str, content: bytes | str) -> Batch:
        return memory_write(directory=self.directory, name=name, content=content, expected=self.digest(name))

    def delete(self, name: str) -> Batch:
        return memory_change(moves=[delete(self.directory, name, self.digest(name) or "")])

    def rename(self, name: str, to: str) -> Batch:
        return memory_change(moves=[rename(self.directory, name, to, self.digest(name) or "")])

    def scan(self) -> ScanResult:
        return memory_scan(directory=self.directory)

    # As an agent that knows nothing of us.
    def outside(self, name: str, content: bytes) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    # As a witness.
    def digest(self, name: str) -> str | None:
        path = self.path / name
        return digest_of(path.read_bytes()) if path.is_file() else None

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def all(self) -> dict[str, bytes]:
        """Every file there, hidden ones too: nothing of ours may be left behind."""
        return {
            os.path.relpath(os.path.join(folder, name), self.path): Path(folder, name).read_bytes()
            for folder, _, names in os.walk(self.path)
            for name in names
        }
