"""Is a path that somebody configured fit to be a memory directory? An agent writes there without asking: nothing that
holds a home or a system, and nothing on another machine, is."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from memory.files.engine.locations.confined_directory import displayable

FEWEST_PARTS = 2
"""`/a` is too near to the root."""
_DRIVE = re.compile(r"[A-Za-z]:")


class UnsafePathError(ValueError):
    """The sentence says why."""


def check_directory(text: str, home: Path) -> Path:
    """The path in its plain form. `~/` is the home, which itself and what lies above it is refused."""
    if "\0" in text:
        raise UnsafePathError("A path cannot hold a NUL character.")
    if not text.strip():
        raise UnsafePathError("The path is empty.")
    if text.startswith(("\\\\", "//")):
        raise UnsafePathError(f"{displayable(text)} is on another machine.")
    if _DRIVE.match(text):
        return _refuse_windows_path(text)
    expanded = f"{home}/{text[2:]}" if text.startswith("~/") else text
    if not expanded.startswith("/"):
        raise UnsafePathError(f"{displayable(text)} is not absolute.")
    plain = posixpath.normpath(expanded)
    if len([part for part in plain.split("/") if part]) < FEWEST_PARTS:
        raise UnsafePathError(f"{displayable(text)} is the root, or too near to it.")
    if f"{home}/".startswith(f"{plain}/"):
        raise UnsafePathError(f"{displayable(text)} holds somebody's whole home.")
    return Path(plain)


def _refuse_windows_path(text: str) -> Path:
    parts = [part for part in text[2:].replace("\\", "/").split("/") if part not in ("", ".")]
    if text[2:3] not in ("\\", "/") or ".." in parts:
        raise UnsafePathError(f"{displayable(text)} is not absolute.")
    if len(parts) < FEWEST_PARTS:
        raise UnsafePathError(f"{displayable(text)} is the root of a drive, or too near to it.")
    raise UnsafePathError(f"{displayable(text)} is a path of Windows; there are no drives here.")
