"""Check the archive, as a run: is every byte that the agent may have deleted since still to be had?"""

from __future__ import annotations

from typing import Any

from inspector.models import Run
from inspector.services.runs.running import Running
from sessions.engine.words import plural, size
from sessions.selectors.doubles import Double, doubles
from sessions.selectors.soundness import Damage, archive_extent, archive_steps

MOST_DAMAGE = 200
ALARM = (
    "Some of what is archived cannot be read back. Files that are still on disk can be imported anew; of the others, "
    "look for a copy of the database."
)


def archive_check(running: Running, run: Run) -> dict[str, Any]:
    extent = archive_extent()
    running.phase("reading blocks", total=extent.bytes, unit="bytes")
    files = blocks = done = 0
    damaged: list[Damage] = []
    for step in archive_steps():
        blocks += step.blocks
        done += step.bytes
        files += step.last
        damaged += step.damage
        running.progress(done, files=files, files_total=extent.files, blocks=blocks, damaged=len(damaged))
    twice = doubles()
    return {
        "summary": _summary(files, blocks, done, damaged) + _twice(twice),
        "files": files,
        "blocks": blocks,
        "checked_bytes": done,
        "damaged": len({one.path for one in damaged}),
        "not_yet_archived": extent.owed,
        "doubles": [{"path": one.path, "sources": one.sources, "entries": one.entries} for one in twice],
        "alarm": ALARM if damaged else "",
        "damage": [f"{one.path}: {one.what}" for one in damaged[:MOST_DAMAGE]],
    }


def _twice(twice: list[Double]) -> str:
    if not twice:
        return ""
    entries = plural(sum(one.entries for one in twice), "entry", "entries")
    kept = "nothing is lost, and the later copy is the one that is shown"
    return f" {plural(len(twice), 'file is', 'files are')} stored more than once, with {entries} too many: {kept}."


def _summary(files: int, blocks: int, done: int, damaged: list[Damage]) -> str:
    what = f"{plural(blocks, 'block')} of {plural(files, 'file')}, {size(done)}"
    if not damaged:
        return f"The archive is sound: {what}."
    bad = len({one.path for one in damaged})
    return f"{plural(bad, 'file is', 'files are')} damaged in the archive, of {what}."
