"""What a person does to memory on the pages: each is one batch, with the index and links of other topics kept in step.

`expected` is always the digest of what the person has seen. The index is read when it is written: whoever edits a topic
has not looked at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import AlreadyThereError, FileTroubleError, digest_of
from memory.files.engine.newlines import encode_like
from memory.files.engine.reading import INDEX_NAME, MemoryDirectory, MemoryFile, parse_file
from memory.files.engine.reading.pointers import (
    find_pointer,
    replace_links,
    with_pointer,
    without_pointers,
)
from memory.files.selectors.directory_reports import file_now
from memory.files.services.writing import (
    delete,
    memory_change,
    rename,
    write,
)
from memory.history.selectors.contents import content_of
from memory.history.services.moves import Move
from memory.lint.engine import Finding
from memory.models import Batch, Directory

TRIES = 3


class FixGoneError(FileTroubleError):
    """What was to be put right is no longer so."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The words of a topic's line in the index."""

    title: str
    hook: str


def topic_save(
    *, directory: Directory, name: str, text: str, expected: str | None, pointer: Pointer | None = None
) -> Batch:
    """`expected`: None for a new file. `pointer`: what its line in the index shall say; None leaves the index alone."""

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
    """`read`: the directory, for what links to the topic."""

    def moves() -> list[Move]:
        return [rename(directory, name, to, expected), *_relinked(directory, read, name, to)]

    return _change(moves, {name, to}, f"Renamed {name} to {to}")


def topic_move(*, directory: Directory, into: Directory, name: str, expected: str) -> Batch:
    """Into another directory, with its line of the index."""
    file = file_now(directory, name) or parse_file(name, b"")

    def moves() -> list[Move]:
        index = _index(directory)
        entry = find_pointer(index, name)
        pointer = Pointer(entry.title, entry.hook) if entry else Pointer(file.title, file.description)
        here = without_pointers(index, {name})
        left = [_written(directory, index, here)] if here is not None else []
        return [rename(directory, name, name, expected, into), *left, *_with_pointer(into, name, pointer)]

    return _change(moves, {name}, f"Moved {name}")


def topics_merge(
    *, directory: Directory, read: MemoryDirectory, name: str, other: str, text: str, expected: str, other_expected: str
) -> Batch:
    """The second one goes; what pointed to it points to the first."""

    def moves() -> list[Move]:
        index = _index(directory)
        after = without_pointers(index, {other}) if find_pointer(index, name) else replace_links(index, other, name)
        kept = [_written(directory, index, after)] if after is not None else []
        links = [move for move in _links(directory, read, other, name) if move.source and move.source.name != name]
        return [write(directory, name, text, expected), delete(directory, other, other_expected), *kept, *links]

    return _change(moves, {name, other}, f"Merged {other} into {name}")


def topic_split(
    *, directory: Directory, name: str, expected: str, head: str, to: str, text: str, pointer: Pointer
) -> Batch:
    """`head` stays in the file, `text` becomes another one."""

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
    """Deletes them, and their lines of the index. `files`: names with what the person has seen of each."""

    def moves() -> list[Move]:
        gone = [delete(directory, name, expected) for name, expected in files.items()]
        if INDEX_NAME in files:
            return gone
        index = _index(directory)
        after = without_pointers(index, set(files))
        return [*gone, _written(directory, index, after)] if after is not None else gone

    few = ", ".join(list(files)[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return _change(moves, set(files), f"Deleted {few}{more}")


def finding_fix(*, directory: Directory, read: MemoryDirectory, finding: Finding) -> Batch:
    """Does what the finding's button says. `read`: the directory in which it was found."""
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
    """If only what is kept in step was changed by somebody in this moment, it is read again."""
    for _ in range(TRIES - 1):
        try:
            return memory_change(moves=moves(), message=message)
        except ChangedMeanwhileError as error:
            if any(clash.name in own for clash in error.clashes):
                raise
    return memory_change(moves=moves(), message=message)


def _index(directory: Directory) -> MemoryFile:
    return file_now(directory, INDEX_NAME) or parse_file(INDEX_NAME, b"")


def _written(directory: Directory, file: MemoryFile, data: bytes) -> Move:
    """An empty file that is not there is made."""
    there = file.mtime_ns > 0 or bool(file.data)
    return write(directory, file.name, data, digest_of(file.data) if there else None)


def _with_pointer(directory: Directory, name: str, pointer: Pointer) -> list[Move]:
    index = _index(directory)
    after = with_pointer(index, name, pointer.title or name, pointer.hook)
    return [] if after is None else [_written(directory, index, after)]


def _relinked(directory: Directory, read: MemoryDirectory, old: str, new: str) -> list[Move]:
    index = _index(directory)
    after = replace_links(index, old, new)
    kept = [_written(directory, index, after)] if after is not None else []
    return [*kept, *(move for move in _links(directory, read, old, new) if move.source and move.source.name != old)]


def _links(directory: Directory, read: MemoryDirectory, old: str, new: str) -> list[Move]:
    """Topics that link to the file, as they are now."""
    linking = [file.name for file in read.topics if any(link.target == old for link in file.links)]
    moves = []
    for name in linking:
        file = file_now(directory, name)
        after = replace_links(file, old, new) if file else None
        if file is not None and after is not None:
            moves.append(_written(directory, file, after))
    return moves
