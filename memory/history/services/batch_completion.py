"""Completes a batch whose files are in place: writes their versions, from the stored plan alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.files.engine.disk import FileContent, FileStatus, FileTroubleError, Folder, disk_name
from memory.files.engine.newlines import newline_style
from memory.files.services.memory_lock import on_disk
from memory.history.selectors.contents import blob_ids, content_of
from memory.history.services.version_recording import last_deleted, next_version, store_status, versions_insert
from memory.models import Batch, Directory, File


def batch_complete(*, batch: Batch, folders: Mapping[int, Folder]) -> Batch:
    """`folders`: the open folders by directory. Needs the memory lock."""
    moves: list[dict[str, Any]] = batch.plan["moves"]
    modes = {(step["directory"], step["name"]): step for step in batch.plan["steps"]}
    blobs = blob_ids({move["digest"] for move in moves if move["digest"]})
    with on_disk():
        files = _files(moves)
        versions = []
        for move, file in zip(moves, files, strict=True):
            parent = file.current
            if move["target"] is not None:
                file.directory_id, file.name = move["target"]
            digest = move["digest"]
            step = modes.get((file.directory_id, file.name))
            data = content_of(digest) if digest else None
            status = _status(folders[file.directory_id], file.name, digest) if digest else None
            if status:
                store_status(file, status)
            versions.append(
                next_version(
                    file,
                    batch,
                    directory_id=file.directory_id,
                    blob_id=blobs[digest] if digest else None,
                    mode=step["mode"] if step else parent.mode if parent else 0o644,
                    newlines=newline_style(data) if data is not None else "none",
                    mtime_ns=status.mtime_ns if status else 0,
                    restored_id=move["restored"],
                    transcript_id=move["transcript"],
                    position=move["position"],
                )
            )
        versions_insert(versions)
        batch.state, batch.plan = Batch.State.DONE, {}
        batch.save(update_fields=["state", "plan"])
    return batch


def _files(moves: list[dict[str, Any]]) -> list[File]:
    """The rows of the files, new ones if necessary."""
    known_files = File.objects.select_related("current").in_bulk([move["file"] for move in moves if move["file"]])
    directories = Directory.every.in_bulk(
        {location[0] for move in moves if (location := move["source"] or move["target"])}
    )
    files = []
    for move in moves:
        if move["file"]:
            files.append(known_files[move["file"]])
            continue
        pk, name = move["source"] or move["target"]
        if move["source"]:
            present = File.objects.filter(directory=pk, name=name, state=File.State.PRESENT)
            files.append(present.select_related("current").get())
        else:
            files.append(last_deleted(directories[pk], [name]).get(name) or File(directory=directories[pk], name=name))
    return files


def _status(folder: Folder, name: str, digest: str) -> FileStatus | None:
    """None if another program has changed the file already: the next scan records that."""
    try:
        content: FileContent | None = folder.read(disk_name(name))
    except FileTroubleError:
        return None
    return content.status if content and content.digest == digest else None
