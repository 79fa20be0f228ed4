"""Writes a compaction as a session that the agent can resume. Existing files are never overwritten."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import IO
from uuid import uuid4

from compaction.export.engine.resumable import Envelope, Origin, Sizes, resumable_rows, to_jsonl
from compaction.kinds.selectors import compaction_load, load_records, spilled_outputs
from compaction.mechanisms.engine.conversation.edits import replace_blocks
from compaction.mechanisms.engine.tool_result_limit.limit import PersistedResult
from compaction.models import Compaction, Export
from sessions.models import Transcript
from sessions.transcripts.engine.messages import Block, Message
from sessions.transcripts.engine.paths import decode_path, encode_path

FOLDER = "tool-results"
LONGEST_TITLE = 200


class ExportError(OSError):
    """The export could not be written. The text says why."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    path: Path
    session_id: str
    results: tuple[Path, ...]
    record: Export


@dataclass(frozen=True, slots=True)
class _Draft:
    """Everything that will be written. Texts of results are fetched one by one, because there may be many."""

    data: bytes
    files: Mapping[str, Callable[[], bytes]]


def parse_directory(text: str) -> Path:
    """The directory that a person typed. Raises ExportError if it is not one."""
    if "\0" in text:
        raise ExportError("A directory's name cannot hold a NUL.")
    try:
        directory = decode_path(text.strip()).expanduser()
    except RuntimeError as error:
        raise ExportError(f"{text.strip()} begins with a person who has no home directory here.") from error
    if not directory.is_absolute():
        raise ExportError("Name the whole directory, from / or ~ on.")
    return directory


def compaction_export(*, compaction: Compaction, directory: Path, now_ms: int) -> ExportResult:
    """Raises ExportError if the directory cannot be written to, and leaves nothing behind."""
    directory = Path(os.path.abspath(directory.expanduser()))
    session_id = _unused_id(compaction.session_id, directory)
    draft = _draft(compaction, directory, session_id, now_ms)
    path = directory / f"{session_id}.jsonl"
    folder = directory / session_id / FOLDER
    try:
        with ExitStack() as undo:
            _make(folder if draft.files else directory, undo)
            for name, read in draft.files.items():
                _write(folder / name, read(), undo)
            _write(path, draft.data, undo)  # last, because somebody may read it as soon as it is there
            record = Export.objects.create(
                compaction=compaction, session_id=session_id, path=encode_path(path), created_at=now_ms
            )
            undo.pop_all()
    except OSError as error:
        raise ExportError(f"{directory} could not be written to: {error.strerror or error}.") from error
    return ExportResult(path, session_id, tuple(folder / name for name in draft.files), record)


def compaction_zip(*, compaction: Compaction, file: IO[bytes], now_ms: int) -> str:
    """The same as a ZIP archive, to be unpacked where the agent keeps the sessions of the project. Returns the new
    id."""
    session_id = str(uuid4())
    draft = _draft(compaction, decode_path(compaction.transcript.project.directory), session_id, now_ms)
    files = {f"{session_id}/{FOLDER}/{name}": read for name, read in draft.files.items()}
    made_at = datetime.fromtimestamp(now_ms / 1000, UTC).timetuple()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, read in (*files.items(), (f"{session_id}.jsonl", lambda: draft.data)):
            info = zipfile.ZipInfo(name, made_at[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            archive.writestr(info, read())
    return session_id


def _draft(compaction: Compaction, directory: Path, session_id: str, now_ms: int) -> _Draft:
    loaded = compaction_load(compaction)
    transcript = compaction.transcript
    folder = directory / session_id / FOLDER
    texts = _by_file_name(loaded.stored.persisted)
    after = _move_paths(
        loaded.after, {result.tool_use_id: (result.path, str(folder / name)) for name, result in texts.items()}
    )
    envelope = Envelope(
        session_id,
        transcript.cwd or transcript.project.cwd,
        transcript.version,
        transcript.branch,
        now_ms / 1000,
        " ".join((transcript.title or transcript.first_prompt).split())[:LONGEST_TITLE],
    )
    data = to_jsonl(
        resumable_rows(
            after,
            load_records(transcript, after),
            envelope,
            compaction=loaded.stored.made,
            sizes=Sizes(compaction.tokens_before, compaction.tokens_after),
            origin=Origin(transcript.session_id, compaction.kind, compaction.number),
        )
    )
    files: dict[str, Callable[[], bytes]] = {
        name: read for name, read in spilled_outputs(transcript) if name.encode("utf-8", "surrogateescape") in data
    }
    return _Draft(data, files | {name: _encoder(result.text) for name, result in texts.items()})


def _unused_id(session_id: str, directory: Path) -> str:
    """The id that the compaction was given, unless it was exported to this place before."""
    is_taken = any(os.path.lexists(directory / name) for name in (f"{session_id}.jsonl", session_id))
    return str(uuid4()) if is_taken or not session_id else session_id


def _by_file_name(persisted: Sequence[PersistedResult]) -> dict[str, PersistedResult]:
    return {PurePath(result.path).name: result for result in persisted}


def _move_paths(messages: Sequence[Message], paths: Mapping[str, tuple[str, str]]) -> Sequence[Message]:
    """Replaces the paths of texts with the real ones, which differ if the export is not in the expected place."""
    changed: dict[tuple[int, int], Block] = {}
    for message_index, message in enumerate(messages):
        for block_index, block in enumerate(message.content):
            old, new = paths.get(str(block.get("tool_use_id")), ("", ""))
            content = block.get("content")
            if old == new:
                continue
            if isinstance(content, str):
                changed[message_index, block_index] = {**block, "content": content.replace(old, new, 1)}
            elif isinstance(content, list) and content and isinstance(content[0], Mapping):
                first = {**content[0], "text": str(content[0].get("text")).replace(old, new, 1)}
                changed[message_index, block_index] = {**block, "content": [first, *content[1:]]}
    return replace_blocks(messages, changed)


def _encoder(text: str) -> Callable[[], bytes]:
    # A lone surrogate becomes the replacement character that readers of the file would show anyway.
    return lambda: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _make(folder: Path, undo: ExitStack) -> None:
    missing = [directory for directory in (folder, *folder.parents) if not directory.exists()]
    for directory in reversed(missing):
        directory.mkdir(mode=0o700)
        undo.callback(_drop, directory.rmdir)


def _write(path: Path, data: bytes, undo: ExitStack) -> None:
    """Writes all of the file or nothing, and never replaces a file or follows a link."""
    draft = path.with_name(f".{uuid4().hex}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # fails where a rename would replace a file
        undo.callback(_drop, path.unlink)
    finally:
        _drop(draft.unlink)


def _drop(remove: Callable[[], None]) -> None:
    with suppress(OSError):
        remove()


def link_exports_to_origin() -> None:
    """Links exported sessions, once they have been imported, to the session that they come from."""
    unlinked = Transcript.objects.filter(forked_from=None, session_id__in=Export.objects.values("session_id"))
    for pk, session_id in unlinked.filter(kind=Transcript.Kind.MAIN).values_list("pk", "session_id"):
        origin = Export.objects.filter(session_id=session_id).values("compaction__transcript")[:1]
        Transcript.objects.filter(pk=pk).update(forked_from=origin)
