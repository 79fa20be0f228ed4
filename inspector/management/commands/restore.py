"""`lucid restore FILE`: the home as it was when the backup was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from inspector.backup.services.restore import Restored, backup_restore
from inspector.backup.services.telling import tables_in
from inspector.management.moving import Moved, MovingCommand
from sessions.text.engine.stamps import iso
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import plural
from sessions.transcripts.engine.paths import encode_path


class Command(MovingCommand):
    help = "Restore a backup into this home."
    file_help = "file that `lucid backup` wrote"
    replace_help = "restore even if the home is not empty; its contents are moved aside"
    database_failure = "the database did not take the backup ({}); restore it again."

    def move(self, path: Path, replace: bool, progress: Callable[[str, int], None]) -> Moved:
        restored = backup_restore(path=path, replace=replace, progress=progress, say=self._say)
        return Moved(_as_json(restored), _sentence(restored))

    def written_to(self, path: Path) -> Path:
        return Path(settings.LUCID_HOME)

    def _say(self, sentence: str) -> None:
        self.stderr.write(sentence)


def _as_json(restored: Restored) -> dict[str, Any]:
    return {
        "path": encode_path(restored.path),
        "home": encode_path(settings.LUCID_HOME),
        "bytes": restored.bytes,
        "made_at": iso(restored.manifest.created_at),
        "tables": tables_in(restored.manifest),
        "files": restored.manifest.files,
        "migrated": list(restored.migrated),
        "reindexed": restored.reindexed,
        "aside": list(restored.aside),
        "seconds": round(restored.seconds, 3),
        "verified": True,
    }


def _sentence(restored: Restored) -> str:
    manifest = restored.manifest
    rows, files = plural(sum(tables_in(manifest).values()), "row"), plural(manifest.files, "file")
    said = f"{printable(str(settings.LUCID_HOME))} is as it was at {iso(manifest.created_at)}: {rows}, {files}."
    if restored.migrated:
        said += f" The backup was of an older Lucid ({manifest.lucid}) and was brought up to date."
    if restored.aside:
        said += f" What was there before is in {printable(' and '.join(restored.aside))}."
    return said
