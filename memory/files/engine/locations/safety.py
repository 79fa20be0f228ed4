"""Is a configured path safe as a memory directory? An agent writes there without asking, so homes, system roots and
other machines are refused."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from memory.files.engine.locations.confined_directory import displayable

FEWEST_PARTS = 2
"""`/a` is too close to the root."""
_DRIVE = re.compile(r"[A-Za-z]:")


class UnsafePathError(ValueError):
    """The message says why."""


def check_directory(text: str, home: Path) -> Path:
    """The normalised path. `~/` stands for the home; the home itself and its parents are refused."""
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
