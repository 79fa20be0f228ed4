"""Checks the archive, as a run: is every byte that the agent may have deleted since still readable? Or repairs it with
what is still in the original files."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from compaction.kinds.selectors.soundness import compaction_steps
from compaction.kinds.services.sealing import compactions_seal
from inspector.runs.models import Run
from inspector.runs.services import run_create
from inspector.runs.services.active_run import ActiveRun
from memory.history.selectors.soundness import version_steps
from memory.history.services.repair import blob_repair
from sessions.archive.selectors.duplicate_sources import DuplicateSource, duplicate_sources
from sessions.archive.selectors.soundness import CheckStep, Damage, archive_extent, archive_steps, source_steps
from sessions.archive.services import block_repair, blocks_seal, captures_seal
from sessions.capture.selectors.soundness import check_captures
from sessions.models import Source
from sessions.text.engine.words import plural, size
from sessions.transcripts.engine.entry_ids import BLOCK_BITS

CHECK, REPAIR = "check archive", "repair archive"
MOST_DAMAGE = 1_000
REPAIRABLE = (
    "Some of what is archived cannot be read back. What is called repairable is still in the agent's files: repair "
    "the archive while they are there."
)
LOST = (
    "Some of what is archived cannot be read back, and no file holds it any more. Look for a copy of the file, put it "
    "back at its old place and repair the archive; or look for a copy of the database."
)


@dataclass(slots=True)
class Tally:
    files: int = 0
    blocks: int = 0
    bytes: int = 0
    contents: int = 0
    damaged: list[Damage] = field(default_factory=list)
    repaired: list[Damage] = field(default_factory=list)

    def add(self, step: CheckStep, *, repair: bool) -> None:
        self.files += step.last
        self.blocks += step.blocks
        self.bytes += step.bytes
        self.contents += step.contents
        for damage in step.damage:
            (self.repaired if repair and damage.repairable and _repair(damage) else self.damaged).append(damage)


def archive_check(running: ActiveRun, run: Run) -> dict[str, Any]:
    return _check(running, repair=False)


def archive_repair(running: ActiveRun, run: Run) -> dict[str, Any]:
    """Repairs everything, or only the blocks of the `sources` in its parameters."""
    sources = run.parameters.get("sources")
    return _check(running, repair=True) if sources is None else _repair_sources(running, sources)


def repair_soon(*, blocks: Collection[int]) -> Run:
    """Starts a run that repairs damaged blocks whose files still have the bytes."""
    sources = sorted({block_id >> BLOCK_BITS for block_id in blocks})
    return run_create(kind=REPAIR, parameters={"sources": sources})


def _repair_sources(running: ActiveRun, sources: Collection[int]) -> dict[str, Any]:
    tally = Tally()
    running.begin_phase("reading blocks", unit="bytes")
    for source in Source.objects.filter(pk__in=sources):
        for step in source_steps(source):
            blocks_seal(seals=step.seals)
            tally.add(step, repair=True)
            running.report_progress(tally.bytes, blocks=tally.blocks, damaged=len(tally.damaged))
    return _result(tally, [], 0)


def _check(running: ActiveRun, *, repair: bool) -> dict[str, Any]:
    extent = archive_extent()
    tally = Tally()
    running.begin_phase("reading blocks", total=extent.bytes, unit="bytes")
    for step in archive_steps():
        blocks_seal(seals=step.seals)
        tally.add(step, repair=repair)
        running.report_progress(
            tally.bytes, files=tally.files, files_total=extent.files, blocks=tally.blocks, damaged=len(tally.damaged)
        )
    running.begin_phase("reading captures, versions and compactions")
    for step in check_captures():
        captures_seal(hashes=step.hashes)
        tally.add(step, repair=repair)
        running.check()
    for step in version_steps():
        tally.add(step, repair=repair)
        running.check()
    for step in compaction_steps():
        compactions_seal(hashes=step.hashes)
        tally.add(step, repair=repair)
        running.check()
    return _result(tally, duplicate_sources(), extent.owed)


def _repair(damage: Damage) -> bool:
    if damage.kind == "block":
        return block_repair(block_id=damage.key)
    return damage.kind == "version" and blob_repair(blob_id=damage.key)


def _result(tally: Tally, twice: list[DuplicateSource], owed: int) -> dict[str, Any]:
    repairable = sum(damage.repairable for damage in tally.damaged)
    return {
        "summary": _summary(tally) + _describe_duplicates(twice),
        "files": tally.files,
        "blocks": tally.blocks,
        "contents": tally.contents,
        "checked_bytes": tally.bytes,
        "damaged": len(tally.damaged),
        "repairable": repairable,
        "repaired": len(tally.repaired),
        "not_yet_archived": owed,
        "doubles": [{"path": source.path, "sources": source.sources, "entries": source.entries} for source in twice],
        "alarm": "" if not tally.damaged else REPAIRABLE if repairable else LOST,
        "damage": [_damage_json(damage) for damage in tally.damaged[:MOST_DAMAGE]],
        "repairs": [_damage_json(damage) for damage in tally.repaired[:MOST_DAMAGE]],
    }


def _damage_json(damage: Damage) -> dict[str, Any]:
    return {
        "session": damage.session or None,
        "transcript": damage.transcript or None,
        "kind": damage.kind,
        "path": damage.path,
        "range": [damage.start, damage.end],
        "what": damage.description,
        "repairable": damage.repairable,
    }


def _describe_duplicates(twice: list[DuplicateSource]) -> str:
    if not twice:
        return ""
    entries = plural(sum(source.entries for source in twice), "entry", "entries")
    consequence = "nothing is lost, and the later copy is the one that is shown"
    return (
        f" {plural(len(twice), 'file is', 'files are')} stored more than once, with {entries} too many: {consequence}."
    )


def _summary(tally: Tally) -> str:
    extent = f"{plural(tally.blocks, 'block')} of {plural(tally.files, 'file')}, {size(tally.bytes)}"
    repairs = f" {plural(len(tally.repaired), 'piece was', 'pieces were')} brought back." if tally.repaired else ""
    if not tally.damaged:
        return f"The archive is sound: {extent}.{repairs}"
    files = len({damage.path for damage in tally.damaged if damage.kind == "block"})
    others = sum(damage.kind != "block" for damage in tally.damaged)
    parts = [plural(files, "file is", "files are") if files else ""]
    parts += [plural(others, "stored content is", "stored contents are") if others else ""]
    return f"{' and '.join(filter(None, parts))} damaged in the archive, of {extent}.{repairs}"
