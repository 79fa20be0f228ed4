"""`lucid backup FILE`: the whole home in one file, made while the server runs, and verified before it is renamed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.backup.services.make import BackupResult, backup_make
from inspector.backup.services.progress_line import rows_by_table
from inspector.management.backup_file_command import BackupFileCommand, CommandResult
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import plural, size
from sessions.transcripts.engine.paths import encode_path


class Command(BackupFileCommand):
    help = "Back up the whole home to one file and verify it; the server may keep running."
    file_help = "file to write, readable by you alone"
    replace_help = "overwrite FILE if it exists"
    database_failure = "the database cannot be read ({}); no backup was made."

    def transfer(self, path: Path, replace: bool, progress: Callable[[str, int], None]) -> CommandResult:
        backup = backup_make(path=path, replace=replace, progress=progress)
        if not backup.is_noted:
            self.stderr.write("The backup is made, but the home cannot be written to and does not remember it.")
        if backup.manifest.owed:
            files = plural(backup.manifest.owed, "file")
            self.stderr.write(f"An import is under way: the bytes of {files} are not archived yet, and not in here.")
        return CommandResult(_as_json(backup), _sentence(backup))

    def written_to(self, path: Path) -> Path:
        return path.parent


def _as_json(backup: BackupResult) -> dict[str, Any]:
    return {
        "path": encode_path(backup.path),
        "bytes": backup.bytes,
        "tables": rows_by_table(backup.manifest),
        "files": backup.manifest.files,
        "not_yet_archived": backup.manifest.owed,
        "seconds": round(backup.seconds, 3),
        "verified": True,
    }


def _sentence(backup: BackupResult) -> str:
    rows = plural(sum(rows_by_table(backup.manifest).values()), "row")
    files = plural(backup.manifest.files, "file")
    return f"{printable(str(backup.path))} holds {rows} and {files} in {size(backup.bytes)}, and was read back."
