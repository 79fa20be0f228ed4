"""Writes a compaction as a session of its own, which the agent can resume. Nothing that is there is overwritten."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from uuid import uuid4

from compaction.engine.budget import Persisted
from compaction.engine.edits import with_blocks
from compaction.engine.resumable import Envelope, Sizes, lines, resumable
from compaction.models import Compaction
from compaction.selectors import compaction_load, records_of, spilled_of
from sessions.engine.messages import Block, Message

FOLDER = "tool-results"


class ExportError(OSError):
    """It could not be written; the text says why."""


@dataclass(frozen=True, slots=True)
class Exported:
    path: Path
    session_id: str
    results: tuple[Path, ...] = ()


def compaction_export(*, compaction: Compaction, directory: Path, now_ms: int) -> Exported:
    """Raises ExportError if the directory cannot be written to."""
    loaded = compaction_load(compaction)
    transcript = compaction.transcript
    directory = directory.expanduser().absolute()
    session_id = _unused(compaction.session_id, directory)
    folder = directory / session_id / FOLDER
    texts = _named(loaded.keepsake.persisted)
    after = _moved(loaded.after, {one.tool_use_id: (one.path, str(folder / name)) for name, one in texts.items()})
    envelope = Envelope(
        session_id,
        transcript.cwd or transcript.project.cwd,
        transcript.version,
        transcript.branch,
        now_ms / 1000,
    )
    data = lines(
        resumable(
            after,
            records_of(transcript, after),
            envelope,
            compaction=loaded.keepsake.made,
            sizes=Sizes(compaction.tokens_before, compaction.tokens_after),
        )
    )
    files: dict[str, Callable[[], bytes]] = {
        name: read for name, read in spilled_of(transcript) if name.encode("utf-8", "surrogateescape") in data
    }
    files |= {name: _encoded(one.text) for name, one in texts.items()}
    path = directory / f"{session_id}.jsonl"
    try:
        results = _write_results(folder, files)
        _write(path, data)
    except OSError as error:
        raise ExportError(f"{error.filename or path} could not be written: {error.strerror or error}.") from error
    return Exported(path, session_id, results)


def _unused(session_id: str, directory: Path) -> str:
    """The id that the compaction was given, unless it was exported to this place before."""
    taken = not session_id or (directory / f"{session_id}.jsonl").exists() or (directory / session_id).exists()
    return str(uuid4()) if taken else session_id


def _named(persisted: Sequence[Persisted]) -> dict[str, Persisted]:
    return {PurePath(one.path).name: one for one in persisted}


def _moved(messages: Sequence[Message], paths: Mapping[str, tuple[str, str]]) -> Sequence[Message]:
    """With the paths at which the texts really lie: they differ if this is not where it was expected to go."""
    changed: dict[tuple[int, int], Block] = {}
    for at, message in enumerate(messages):
        for place, block in enumerate(message.content):
            old, new = paths.get(str(block.get("tool_use_id")), ("", ""))
            content = block.get("content")
            if old == new:
                continue
            if isinstance(content, str):
                changed[at, place] = {**block, "content": content.replace(old, new, 1)}
            elif isinstance(content, list) and content and isinstance(content[0], Mapping):
                first = {**content[0], "text": str(content[0].get("text")).replace(old, new, 1)}
                changed[at, place] = {**block, "content": [first, *content[1:]]}
    return with_blocks(messages, changed)


def _encoded(text: str) -> Callable[[], bytes]:
    return lambda: text.encode("utf-8", "replace")


def _write_results(folder: Path, files: Mapping[str, Callable[[], bytes]]) -> tuple[Path, ...]:
    if not files:
        return ()
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    for name, read in files.items():
        _write(folder / name, read())
    return tuple(folder / name for name in files)


def _write(path: Path, data: bytes) -> None:
    """All of it or nothing, and never over something else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # refuses what a rename would replace
    finally:
        with suppress(OSError):
            draft.unlink()
