"""Edits of memory on the pages. Each is one batch, and keeps the index and the links of other topics in step.

`expected` is always the digest of what the user has seen. The index is read when it is written, because users who edit
a topic have not seen it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import AlreadyThereError, FileTroubleError, digest_of
from memory.files.engine.newlines import encode_like
from memory.files.engine.reading import INDEX_NAME, MemoryDirectory, MemoryFile, parse_file
from memory.files.engine.reading.pointers import find_pointer, replace_links, with_pointer, without_pointers
from memory.files.selectors.directory_reports import read_file
from memory.files.services.writing import delete, memory_change, rename, write
from memory.history.selectors.contents import content_of
from memory.history.services.moves import Move
from memory.lint.engine import Finding
from memory.models import Batch, Directory

TRIES = 3


class FixGoneError(FileTroubleError):
    """The problem no longer exists."""


@dataclass(frozen=True, slots=True)
class PointerText:
    """Title and hook of a topic's line in the index."""

    title: str
    hook: str


def topic_save(
    *, directory: Directory, name: str, text: str, expected: str | None, pointer: PointerText | None = None
) -> Batch:
    """`expected`: None for a new file. `pointer`: the new line in the index; None leaves the index alone."""

    def moves() -> list[Move]:
        before = content_of(expected) if expected else None
        same = before is not None and encode_like(text, before) == before
        index = _with_pointer(directory, name, pointer) if pointer and name != INDEX_NAME else []
        return index if same and index else [write(directory, name, text, expected), *index]

    verb = "Edited" if expected else "Made"
    try:
        return _change(moves, {name}, f"{verb} {name}")
    except ChangedMeanwhileError as error:
        if expected is None:
            raise AlreadyThereError(f"{name} is already there. Choose another name.") from error
        raise


def topic_rename(*, directory: Directory, read: MemoryDirectory, name: str, to: str, expected: str) -> Batch:
    """`read`: the directory, to find links to the topic."""

    def moves() -> list[Move]:
        return [rename(directory, name, to, expected), *_relink_all(directory, read, name, to)]

    return _change(moves, {name, to}, f"Renamed {name} to {to}")


def topic_move(*, directory: Directory, into: Directory, name: str, expected: str) -> Batch:
    """Moves a topic into another directory, with its line of the index."""
    file = read_file(directory, name) or parse_file(name, b"")

    def moves() -> list[Move]:
        index = _read_index(directory)
        entry = find_pointer(index, name)
        pointer = PointerText(entry.title, entry.hook) if entry else PointerText(file.title, file.description)
        remaining = without_pointers(index, {name})
        index_moves = [_write_as_read(directory, index, remaining)] if remaining is not None else []
        return [rename(directory, name, name, expected, into), *index_moves, *_with_pointer(into, name, pointer)]

    return _change(moves, {name}, f"Moved {name}")


def topics_merge(
    *, directory: Directory, read: MemoryDirectory, name: str, other: str, text: str, expected: str, other_expected: str
) -> Batch:
    """Deletes the second topic; links to it point to the first from now on."""

    def moves() -> list[Move]:
        index = _read_index(directory)
        after = without_pointers(index, {other}) if find_pointer(index, name) else replace_links(index, other, name)
        index_moves = [_write_as_read(directory, index, after)] if after is not None else []
        links = [
            move for move in _relink_topics(directory, read, other, name) if move.source and move.source.name != name
        ]
        return [write(directory, name, text, expected), delete(directory, other, other_expected), *index_moves, *links]

    return _change(moves, {name, other}, f"Merged {other} into {name}")


def topic_split(
    *, directory: Directory, name: str, expected: str, head: str, to: str, text: str, pointer: PointerText
) -> Batch:
    """`head` stays in the file, `text` becomes a new one."""

    def moves() -> list[Move]:
        parts = [write(directory, name, head, expected), write(directory, to, text, None)]
        return [*parts, *_with_pointer(directory, to, pointer)]

    try:
        return _change(moves, {name, to}, f"Split {to} off {name}")
    except ChangedMeanwhileError as error:
        if any(clash.name == to for clash in error.clashes):
            raise AlreadyThereError(f"{to} is already there. Choose another name.") from error
        raise


def topics_prune(*, directory: Directory, files: Mapping[str, str]) -> Batch:
    """Deletes topics and their lines of the index. `files`: the digest that the user has seen, by name."""

    def moves() -> list[Move]:
        deletions = [delete(directory, name, expected) for name, expected in files.items()]
        if INDEX_NAME in files:
            return deletions
        index = _read_index(directory)
        after = without_pointers(index, set(files))
        return [*deletions, _write_as_read(directory, index, after)] if after is not None else deletions

    few = ", ".join(list(files)[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return _change(moves, set(files), f"Deleted {few}{more}")


def finding_fix(*, directory: Directory, read: MemoryDirectory, finding: Finding) -> Batch:
    """Applies the fix of a finding. `read`: the directory in which it was found."""
    if finding.fix is None:
        raise FixGoneError("Nothing can be done about this by a button.")
    moves = []
    for name, data in finding.fix.changes().items():
        file = read.by_name.get(name)
        if file is not None and not file.is_whole:
            raise FixGoneError(f"{name} is too large to be changed here.")
        if data is not None:
            moves.append(write(directory, name, data, digest_of(file.data) if file else None))
        elif file is not None:
            moves.append(delete(directory, name, digest_of(file.data)))
    if not moves:
        raise FixGoneError("There is nothing left to put right.")
    return memory_change(moves=moves, message=f"{finding.fix.label} ({finding.rule})")


def _change(moves: Callable[[], Sequence[Move]], own: set[str], message: str) -> Batch:
    """Retries if another program changed only the files that are kept in step."""
    for _ in range(TRIES - 1):
        try:
            return memory_change(moves=moves(), message=message)
        except ChangedMeanwhileError as error:
            if any(clash.name in own for clash in error.clashes):
                raise
    return memory_change(moves=moves(), message=message)


def _read_index(directory: Directory) -> MemoryFile:
    return read_file(directory, INDEX_NAME) or parse_file(INDEX_NAME, b"")


def _write_as_read(directory: Directory, file: MemoryFile, data: bytes) -> Move:
    """Writes a file that was just read; creates it if it does not exist."""
    exists = file.mtime_ns > 0 or bool(file.data)
    return write(directory, file.name, data, digest_of(file.data) if exists else None)


def _with_pointer(directory: Directory, name: str, pointer: PointerText) -> list[Move]:
    index = _read_index(directory)
    after = with_pointer(index, name, pointer.title or name, pointer.hook)
    return [] if after is None else [_write_as_read(directory, index, after)]


def _relink_all(directory: Directory, read: MemoryDirectory, old: str, new: str) -> list[Move]:
    index = _read_index(directory)
    after = replace_links(index, old, new)
    index_moves = [_write_as_read(directory, index, after)] if after is not None else []
    return [
        *index_moves,
        *(move for move in _relink_topics(directory, read, old, new) if move.source and move.source.name != old),
    ]


def _relink_topics(directory: Directory, read: MemoryDirectory, old: str, new: str) -> list[Move]:
    """Updates the current text of all topics that link to the file."""
    linking = [file.name for file in read.topics if any(link.target == old for link in file.links)]
    moves = []
    for name in linking:
        file = read_file(directory, name)
        after = replace_links(file, old, new) if file else None
        if file is not None and after is not None:
            moves.append(_write_as_read(directory, file, after))
    return moves
