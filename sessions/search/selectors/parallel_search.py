"""Searches files with several processes. Each of n processes takes every nth group of files and sends its results in
order, so that work need not be handed out and the first hits come early."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection

from sessions.search.engine.needles import Needle
from sessions.search.selectors.file_search import ArchivedFile, FileScanner, group_files

FIRST_GROUP, LARGEST_GROUP = 1024 * 1024, 16 * 1024 * 1024

Offsets = list[int] | None
"""Offsets; None if the file changed since it was archived."""


def find_offsets_in_parallel(
    source_files: Sequence[ArchivedFile], needle: Needle, processes: int
) -> Generator[Offsets, None, None]:
    groups = group_files(source_files, FIRST_GROUP, LARGEST_GROUP)
    with _searchers(source_files, groups, needle, processes) as pipes:
        for number, group in enumerate(groups):
            try:
                yield from pipes[number % processes].recv()
            except EOFError:
                yield from [None] * len(group)  # it was killed; the archive is searched instead


@contextmanager
def _searchers(
    source_files: Sequence[ArchivedFile], groups: Sequence[range], needle: Needle, processes: int
) -> Iterator[list[Connection]]:
    context = get_context("fork")  # the files are inherited instead of sent
    pipes: list[Connection] = []
    children = []
    for first in range(processes):
        receiver, sender = context.Pipe(duplex=False)
        pipes.append(receiver)
        child = context.Process(target=_search, args=(source_files, groups[first::processes], needle, sender, pipes))
        child.daemon = True
        child.start()
        sender.close()
        children.append(child)
    try:
        yield pipes
    finally:
        for pipe in pipes:
            pipe.close()
        for child in children:
            child.kill()
            child.join()


def _search(
    source_files: Sequence[ArchivedFile],
    groups: Sequence[range],
    needle: Needle,
    pipe: Connection,
    readers: Sequence[Connection],
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends this process
    for reader in readers:
        reader.close()  # else writes would not fail when the parent is gone
    scanner = FileScanner(needle)
    with suppress(BrokenPipeError):
        for group in groups:
            pipe.send([scanner.find_offsets(source_files[number]) for number in group])
