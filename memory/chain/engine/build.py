"""Builds the CLAUDE.md chain of a directory: all instruction files with their includes, in load order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from memory.chain.engine.candidates import MANAGED, Candidate, files_at_start, files_below
from memory.chain.engine.chain_file import ChainFile, Include, Layer, Outcome, When
from memory.chain.engine.includes import WrittenInclude, find_includes
from memory.chain.engine.instruction_files import LeadsOutError, NotTextError, read_bytes, read_text
from memory.files.engine.reading.header import read_header
from memory.files.engine.reading.loaded_text import blank_comments, load_index, without_comments
from memory.files.engine.reading.text import decode, split_lines

MOST_HOPS = 4
MOST_FILES = 1_000


@dataclass(frozen=True, slots=True)
class Chain:
    files: tuple[ChainFile, ...]
    """In load order; an included file follows the one that includes it."""
    unread: tuple[tuple[str, str], ...] = ()
    """Existing files that cannot be read, with the reason."""
    outside: tuple[tuple[str, str], ...] = ()
    """Links that lead out of the project or the configuration, with their targets. They are not followed."""

    @property
    def at_start(self) -> tuple[ChainFile, ...]:
        return tuple(file for file in self.files if file.when is When.START)

    @property
    def lost_at_compaction(self) -> tuple[ChainFile, ...]:
        """Files that a compaction removes from the context until something loads them again."""
        return tuple(file for file in self.files if not file.survives_compaction)

    @property
    def characters(self) -> int:
        """Of the files that are loaded at the start."""
        return sum(file.characters for file in self.at_start)


def build_chain(
    directory: Path,
    *,
    config: Path,
    home: Path,
    project: Path,
    memory: Path | None = None,
    managed: tuple[Path, ...] = MANAGED,
) -> Chain:
    """The chain of a working directory. Includes must lie in `project`. `memory` is the project's memory directory,
    whose index is loaded last. Never raises for anything on disk."""
    build = _ChainBuilder(home)
    for candidate in files_at_start(directory, config, project, managed):
        build.add(candidate)
    if memory is not None:
        build.add_index(memory / "MEMORY.md")
    for candidate in files_below(directory, project):
        build.add(candidate)
    return Chain(tuple(build.files), tuple(build.unread), tuple(dict.fromkeys(build.outside)))


@dataclass(slots=True)
class _ChainBuilder:
    home: Path
    files: list[ChainFile] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    outside: list[tuple[str, str]] = field(default_factory=list)
    roots: dict[str, Path] = field(default_factory=dict)
    """By path: the root that a file and its includes must lie in."""
    visited: set[str] = field(default_factory=set)

    def add(self, candidate: Candidate) -> None:
        path = candidate.path
        real = os.path.realpath(path)
        if real in self.visited or len(self.files) >= MOST_FILES or not os.path.lexists(path):
            return
        try:
            text = read_text(path, candidate.root)
        except LeadsOutError as error:
            self.outside.append((str(path), error.target))
            return
        except (OSError, NotTextError) as error:
            self.unread.append((str(path), str(error)))
            return
        lines = split_lines(text)
        globs = _read_globs(lines)
        when = When.ON_MATCH if globs and candidate.when is When.START else candidate.when
        self.roots[str(path)] = candidate.root
        self._load(ChainFile(str(path), candidate.layer, when, text, without_comments(text), globs), (real,))

    def add_index(self, path: Path) -> None:
        try:
            text = decode(read_bytes(path, Path(os.path.realpath(path.parent)))).displayed if path.is_file() else None
        except LeadsOutError as error:
            self.outside.append((str(path), error.target))
            return
        except OSError as error:
            self.unread.append((str(path), str(error)))
            return
        if text is not None:
            loaded = load_index(text)
            self.files.append(
                ChainFile(str(path), Layer.INDEX, When.START, text, loaded.agent_text, warning=loaded.warning)
            )

    def _load(self, file: ChainFile, above: tuple[str, ...]) -> None:
        self.visited.add(above[-1])
        place = len(self.files)
        self.files.append(file)
        includes = tuple(self._includes(file, above))
        self.files[place] = replace(file, includes=includes)

    def _includes(self, file: ChainFile, above: tuple[str, ...]) -> Iterator[Include]:
        for written in find_includes(blank_comments(file.text)):
            path = self._path(written, file)
            if path is None:
                if written.is_file_like:
                    missing = str(_resolve(written.candidates[-1], Path(file.path).parent, self.home))
                    yield Include(written.text, missing, written.line, Outcome.MISSING)
                continue
            yield Include(written.text, str(path), written.line, self._include(file, path, above))

    def _include(self, file: ChainFile, path: Path, above: tuple[str, ...]) -> Outcome:
        real = os.path.realpath(path)
        if real in above:
            return Outcome.CYCLE
        if real in self.visited:
            return Outcome.ALREADY
        if file.hops >= MOST_HOPS or len(self.files) >= MOST_FILES:
            return Outcome.TOO_DEEP
        root = self.roots[file.path]
        try:
            text = read_text(path, root)
        except LeadsOutError as error:
            self.outside.append((str(path), error.target))
            return Outcome.EXTERNAL
        except NotTextError:
            return Outcome.NOT_TEXT
        except OSError:
            return Outcome.UNREADABLE
        self.roots[str(path)] = root
        child = ChainFile(
            str(path), file.layer, file.when, text, without_comments(text), included_by=file.path, hops=file.hops + 1
        )
        self._load(child, (*above, real))
        return Outcome.INCLUDED

    def _path(self, written: WrittenInclude, file: ChainFile) -> Path | None:
        """The included file, if it exists."""
        folder = Path(file.path).parent
        for text in written.candidates:
            path = _resolve(text, folder, self.home)
            try:
                if path.is_file():
                    return path
            except (OSError, ValueError):
                continue
        return None


def _resolve(text: str, folder: Path, home: Path) -> Path:
    """Normalises the path without resolving links, for display."""
    if text.startswith("~/"):
        return Path(os.path.normpath(home / text[2:]))
    return Path(os.path.normpath(folder / text))


def _read_globs(lines: list[str]) -> tuple[str, ...]:
    """The paths that a rule applies to."""
    field_ = read_header(lines).field("paths")
    if field_ is None:
        return ()
    return field_.items or tuple(glob.strip() for glob in field_.value.split(",") if glob.strip())
