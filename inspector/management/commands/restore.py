"""`lucid restore FILE`: the home as it was when the backup was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from inspector.backup.errors import BackupError
from inspector.services.backup.restore import Restored, backup_restore
from inspector.services.backup.telling import Telling, reason, tables_in, trouble
from inspector.startup.home import prepare_home, unwritable
from sessions.engine.paths import kept
from sessions.engine.printing import printable
from sessions.engine.stamps import iso
from sessions.engine.words import plural


class Command(BaseCommand):
    help = "Put everything that a backup holds into this home."
    needs_database = False
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="what `lucid backup` has written")
        parser.add_argument(
            "--replace", action="store_true", help="restore into a home that is not empty: what is there is moved aside"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"].expanduser().absolute()
        try:
            prepare_home(settings.LUCID_HOME)
        except OSError as error:
            raise CommandError(unwritable(settings.LUCID_HOME, error)) from error
        with Telling() as telling:
            try:
                restored = backup_restore(path=path, replace=options["replace"], progress=telling, say=self._say)
            except BackupError as error:
                raise CommandError(str(error)) from error
            except OSError as error:
                raise CommandError(trouble(error, str(settings.LUCID_HOME))) from error
            except DatabaseError as error:
                raise CommandError(
                    f"the database did not take the backup ({reason(error)}); restore it again."
                ) from error
        self.stdout.write(json.dumps(_as_json(restored)) if options["json"] else _sentence(restored))

    def _say(self, sentence: str) -> None:
        self.stderr.write(sentence)


def _as_json(restored: Restored) -> dict[str, Any]:
    return {
        "path": kept(restored.path),
        "home": kept(settings.LUCID_HOME),
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
