"""Finds the repository of a directory from git's own files. All worktrees of a repository share one memory, so they
resolve to the main one."""

from __future__ import annotations

from pathlib import Path

_LONGEST = 4096


def find_canonical_root(directory: Path) -> Path:
    """The root of the main working tree around `directory`, or the directory itself if there is no repository."""
    for folder in (directory, *directory.parents):
        git = folder / ".git"
        try:
            if git.is_dir():
                return folder
            if git.is_file():
                return _main_tree(git) or folder
        except OSError:
            return directory
    return directory


def _main_tree(git: Path) -> Path | None:
    """Worktrees and submodules have `.git` as a file. Only a worktree has a `commondir`, and its `gitdir` must point
    back: a planted file could otherwise lead to another project's memory."""
    gitdir = _pointer(git, "gitdir:")
    if gitdir is None:
        return None
    common = _pointer(gitdir / "commondir")
    back = _pointer(gitdir / "gitdir")
    if common is None or back is None or back != git.resolve():
        return None
    if gitdir.parent != common / "worktrees" or common.name != ".git":
        return None
    return common.parent


def _pointer(file: Path, prefix: str = "") -> Path | None:
    """The path in a one-line file, relative to that file."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_LONGEST).decode()
        if not text.startswith(prefix):
            return None
        return (file.parent / text.removeprefix(prefix).strip()).resolve()
    except (OSError, ValueError):
        return None
