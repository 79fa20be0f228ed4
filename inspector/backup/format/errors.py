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


class NotPutBackError(BackupError):
    """The disk failed while the database was replaced, and again while the former one was put back."""

    def __init__(self, path: str, reason: str, aside: str) -> None:
        super().__init__(
            f"The disk failed while {path} was replaced, and again while it was put back ({reason}). Nothing is lost:"
            f" what is missing of it is in {aside}. When the disk works, move that back beside {path}, or restore the"
            " backup again with --replace."
        )


class UnknownOutcomeError(BackupError):
    """The server did not say whether it replaced the tables."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database failed while its tables were replaced ({reason}): it holds what it held before, or the"
            " backup. Restore the backup again with --replace when it works."
        )
