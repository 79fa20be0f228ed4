"""`lucid backup FILE`: the whole home in one file, made while the server runs, and read back before it has its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.backup.services.make import Made, backup_make
from inspector.backup.services.telling import tables_in
from inspector.management.moving import Moved, MovingCommand
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import plural, size
from sessions.transcripts.engine.paths import encode_path


class Command(MovingCommand):
    help = "Back up the whole home to one file and verify it; the server may keep running."
    file_help = "file to write, readable by you alone"
    replace_help = "overwrite FILE if it exists"
    database_failure = "the database cannot be read ({}); no backup was made."

    def move(self, path: Path, replace: bool, progress: Callable[[str, int], None]) -> Moved:
        made = backup_make(path=path, replace=replace, progress=progress)
        if not made.noted:
            self.stderr.write("The backup is made, but the home cannot be written to and does not remember it.")
        if made.manifest.owed:
            files = plural(made.manifest.owed, "file")
            self.stderr.write(f"An import is under way: the bytes of {files} are not archived yet, and not in here.")
        return Moved(_as_json(made), _sentence(made))

    def written_to(self, path: Path) -> Path:
        return path.parent


def _as_json(made: Made) -> dict[str, Any]:
    return {
        "path": encode_path(made.path),
        "bytes": made.bytes,
        "tables": tables_in(made.manifest),
        "files": made.manifest.files,
        "not_yet_archived": made.manifest.owed,
        "seconds": round(made.seconds, 3),
        "verified": True,
    }


def _sentence(made: Made) -> str:
    rows = plural(sum(tables_in(made.manifest).values()), "row")
    files = plural(made.manifest.files, "file")
    return f"{printable(str(made.path))} holds {rows} and {files} in {size(made.bytes)}, and was read back."
