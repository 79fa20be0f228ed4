"""Why a file is not taken for a backup, in one sentence."""

from __future__ import annotations


class BackupError(Exception):
    """Something about a backup that a person has to know; the sentence is complete."""


class DamageError(BackupError):
    """A part is not what was written."""

    def __init__(self, part: str, defect: str) -> None:
        super().__init__(f"The backup is damaged: {part} {defect}. Nothing was changed; use another copy of it.")
        self.part = part


class HalfRestoredError(BackupError):
    """The disk failed after the database was exchanged."""

    def __init__(self, home: str, reason: str, aside: tuple[str, ...]) -> None:
        before = f" What was there before is in {' and '.join(aside)}." if aside else ""
        super().__init__(
            f"The database of {home} is that of the backup now, but the disk failed before all files of the home were"
            f" in their places ({reason}).{before} Restore the backup again with --replace when the disk works."
        )
