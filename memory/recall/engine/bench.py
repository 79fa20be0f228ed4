"""A recall step by step, and what each step leaves: for whoever wants to see why a memory was or was not injected.

with Folder(path) as folder:
    prepared = prepare(scan(folder), message, state, now)
    choice = Ranker(documents(folder, prepared.candidates, now)).choose(message, prepared.names)
    recalled = finish(folder, prepared, choice, now)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memory.files.engine.disk import Folder
from memory.files.engine.reading.file import parse_file
from memory.recall.engine.asking import Question, manifest, question
from memory.recall.engine.choosing import Choice
from memory.recall.engine.injecting import Injected, Missing, inject
from memory.recall.engine.ranking import Document
from memory.recall.engine.scan import Scan, Scanned
from memory.recall.engine.state import Known, State, why_not


@dataclass(frozen=True, slots=True)
class Dropped:
    """A file that was scanned and is not offered, because the model has it already."""

    file: Scanned
    known: Known


@dataclass(frozen=True, slots=True)
class Prepared:
    message: str
    state: State
    scan: Scan
    why_not: str
    """Why nothing is recalled at all; empty if the selector is asked."""
    dropped: tuple[Dropped, ...]
    candidates: tuple[Scanned, ...]
    manifest: str

    @property
    def names(self) -> frozenset[str]:
        return frozenset(file.name for file in self.candidates)

    @property
    def asks(self) -> bool:
        return not self.why_not and bool(self.candidates)

    @property
    def question(self) -> Question:
        return question(self.message, self.manifest)


@dataclass(frozen=True, slots=True)
class Recalled:
    prepared: Prepared
    choice: Choice
    injected: tuple[Injected, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def text(self) -> str:
        """Exactly what the model gets."""
        return "\n".join(one.text for one in self.injected)

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.injected)

    @property
    def spent(self) -> int:
        """Of the session's budget, with this recall. The last one may go beyond it: it is held before, not within."""
        return self.prepared.state.injected + self.bytes


def prepare(scanned: Scan, message: str, state: State, now: datetime) -> Prepared:
    dropped = tuple(Dropped(file, state.known[file.name]) for file in scanned.files if file.name in state.known)
    candidates = tuple(file for file in scanned.files if file.name not in state.known)
    return Prepared(message, state, scanned, why_not(message, state), dropped, candidates, manifest(candidates, now))


def documents(folder: Folder, files: Iterable[Scanned], now: datetime) -> list[Document]:
    """What the ranker looks at: of each body as much as would be injected."""
    found = ((file, inject(folder, file.name, now)) for file in files)
    return [
        Document(file.name, file.title, file.description, parse_file(file.name, one.given.encode()).body)
        for file, one in found
        if isinstance(one, Injected)
    ]


def finish(folder: Folder, prepared: Prepared, choice: Choice, now: datetime) -> Recalled:
    if not prepared.asks:
        return Recalled(prepared, Choice(choice.by))
    read = [inject(folder, one.name, now) for one in choice.chosen]
    return Recalled(
        prepared,
        choice,
        tuple(one for one in read if isinstance(one, Injected)),
        tuple(one for one in read if isinstance(one, Missing)),
    )
