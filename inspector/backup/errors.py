"""Why a file is not taken for a backup, in one sentence."""

from __future__ import annotations


class BackupError(Exception):
    """Something about a backup that a person has to know; the sentence is complete."""


class DamageError(BackupError):
    """A part is not what was written."""

    def __init__(self, part: str, what: str) -> None:
        super().__init__(f"The backup is damaged: {part} {what}. Nothing was changed; use another copy of it.")
        self.part = part
