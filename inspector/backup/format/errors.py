"""Errors of backups, each with one sentence."""

from __future__ import annotations


class BackupError(Exception):
    """A problem with a backup, as a complete sentence for a person."""


class DamageError(BackupError):
    """A part differs from what was written."""

    def __init__(self, part: str, defect: str) -> None:
        super().__init__(f"The backup is damaged: {part} {defect}. Nothing was changed; use another copy of it.")
        self.part = part


class HalfRestoredError(BackupError):
    """The disk failed after the database was replaced."""

    def __init__(self, home: str, reason: str, aside: tuple[str, ...]) -> None:
        before = f" What was there before is in {' and '.join(aside)}." if aside else ""
        super().__init__(
            f"The database of {home} is that of the backup now, but the disk failed before all files of the home were"
            f" in their places ({reason}).{before} Restore the backup again with --replace when the disk works."
        )
