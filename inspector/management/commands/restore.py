"""`lucid restore FILE`: the home as it was when the backup was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from inspector.backup.services.progress_line import rows_by_table
from inspector.backup.services.restore import RestoreResult, backup_restore
from inspector.management.backup_file_command import BackupFileCommand, CommandResult
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso
from sessions.text.engine.words import plural
from sessions.transcripts.engine.paths import encode_path


class Command(BackupFileCommand):
    help = "Restore a backup into this home."
    file_help = "file that `lucid backup` wrote"
    replace_help = "restore even if the home is not empty; its contents are moved aside"
    database_failure = "the database did not take the backup ({}); restore it again."

    def transfer(self, path: Path, replace: bool, progress: Callable[[str, int], None]) -> CommandResult:
        restored = backup_restore(path=path, replace=replace, progress=progress, say=self._say)
        return CommandResult(_as_json(restored), _sentence(restored))

    def written_to(self, path: Path) -> Path:
        return Path(settings.LUCID_HOME)

    def _say(self, sentence: str) -> None:
        self.stderr.write(sentence)


def _as_json(restored: RestoreResult) -> dict[str, Any]:
    return {
        "path": encode_path(restored.path),
        "home": encode_path(settings.LUCID_HOME),
        "bytes": restored.bytes,
        "made_at": iso(restored.manifest.created_at),
        "tables": rows_by_table(restored.manifest),
        "files": restored.manifest.files,
        "migrated": list(restored.migrated),
        "reindexed": restored.reindexed,
        "aside": list(restored.aside),
        "seconds": round(restored.seconds, 3),
        "verified": True,
    }


def _sentence(restored: RestoreResult) -> str:
    manifest = restored.manifest
    rows, files = plural(sum(rows_by_table(manifest).values()), "row"), plural(manifest.files, "file")
    sentence = f"{printable(str(settings.LUCID_HOME))} is as it was at {iso(manifest.created_at)}: {rows}, {files}."
    if restored.migrated:
        sentence += f" The backup was of an older Lucid ({manifest.lucid}) and was brought up to date."
    if restored.aside:
        sentence += f" What was there before is in {printable(' and '.join(restored.aside))}."
    return sentence
