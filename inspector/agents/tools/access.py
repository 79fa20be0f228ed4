"""Where tools may read and write. Links are resolved before the check, so none leads outside."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from inspector.agents.tools.tool import DeniedError, FailedError


@dataclass(frozen=True, slots=True)
class Readable:
    """Paths are relative to the first root."""

    roots: tuple[Path, ...]

    def __post_init__(self) -> None:
        if not self.roots:
            raise ValueError("There must be a directory to read.")
        object.__setattr__(self, "roots", tuple(root.resolve() for root in self.roots))

    @property
    def base(self) -> Path:
        return self.roots[0]

    def resolve(self, text: str) -> Path:
        """The real path. Raises DeniedError if it lies outside."""
        path = _real(self.base, text)
        if not any(path.is_relative_to(root) for root in self.roots):
            raise DeniedError(f"{text} is outside of what may be read.")
        return path

    def file(self, text: str) -> Path:
        path = self.resolve(text)
        _must_be_regular(path, text)
        return path


@dataclass(frozen=True, slots=True)
class Writable:
    """One directory, or with `only` one file in it."""

    root: Path
    only: Path | None = None
    largest: int = 1_000_000
    """Bytes per file."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.root.resolve())
        if self.only is not None:
            object.__setattr__(self, "only", _real(self.root, str(self.only)))

    def resolve(self, text: str) -> Path:
        path = _real(self.root, text)
        if path == self.root or not path.is_relative_to(self.root):
            raise DeniedError(f"{text} is outside of the directory that may be changed.")
        if self.only is not None and path != self.only:
            raise DeniedError(f"Only {self.only.name} may be changed.")
        return path

    def file(self, text: str) -> Path:
        """The path of an existing file."""
        path = self.resolve(text)
        _must_be_regular(path, text)
        return path


def _real(base: Path, text: str) -> Path:
    if not text or "\0" in text:
        raise DeniedError("That is no path.")
    if text.startswith("~"):
        raise DeniedError(f"{text}: `~` is not expanded; give a whole path.")
    try:
        return (base / text).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or too long a name
        raise DeniedError(f"{text} cannot be followed.") from error


def _must_be_regular(path: Path, text: str) -> None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise FailedError(f"There is no file {text}.") from error
    if stat.S_ISDIR(mode):
        raise FailedError(f"{text} is a directory.")
    if not stat.S_ISREG(mode):
        raise DeniedError(f"{text} is no regular file.")
