"""A recall step by step, with the result of each step, to show why a memory was or was not injected.

with Folder(path) as folder:
    prepared = prepare_recall(scan_memory(folder), message, state, now)
    choice = Ranker(build_documents(folder, prepared.candidates, now)).choose(message, prepared.names)
    recalled = finish_recall(folder, prepared, choice, now)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memory.files.engine.disk import Folder
from memory.files.engine.reading.file import parse_file
from memory.recall.engine.choice import Choice
from memory.recall.engine.injection import Injection, MissingMemory, inject
from memory.recall.engine.memory_scan import MemoryScan, ScannedFile
from memory.recall.engine.model_prompt import Question, manifest, question
from memory.recall.engine.ranking import Document
from memory.recall.engine.state import KnownMemory, RecallState, why_not


@dataclass(frozen=True, slots=True)
class DroppedFile:
    """A scanned file that is not offered, because the model has it already."""

    file: ScannedFile
    known: KnownMemory


@dataclass(frozen=True, slots=True)
class PreparedRecall:
    message: str
    state: RecallState
    scan: MemoryScan
    why_not: str
    """Why nothing is recalled; empty if a choice is to be made."""
    dropped: tuple[DroppedFile, ...]
    candidates: tuple[ScannedFile, ...]
    manifest: str

    @property
    def names(self) -> frozenset[str]:
        return frozenset(file.name for file in self.candidates)

    @property
    def needs_choice(self) -> bool:
        return not self.why_not and bool(self.candidates)

    @property
    def question(self) -> Question:
        return question(self.message, self.manifest)


@dataclass(frozen=True, slots=True)
class RecallResult:
    prepared: PreparedRecall
    choice: Choice
    injected: tuple[Injection, ...] = ()
    missing: tuple[MissingMemory, ...] = ()

    @property
    def text(self) -> str:
        """The text exactly as the model gets it."""
        return "\n".join(memory.text for memory in self.injected)

    @property
    def bytes(self) -> int:
        return sum(memory.bytes for memory in self.injected)

    @property
    def spent(self) -> int:
        """Bytes of the session's budget, this recall included. It may exceed the budget, which is checked before a
        recall."""
        return self.prepared.state.injected + self.bytes


def prepare_recall(scanned: MemoryScan, message: str, state: RecallState, now: datetime) -> PreparedRecall:
    dropped = tuple(DroppedFile(file, state.known[file.name]) for file in scanned.files if file.name in state.known)
    candidates = tuple(file for file in scanned.files if file.name not in state.known)
    return PreparedRecall(
        message, state, scanned, why_not(message, state), dropped, candidates, manifest(candidates, now)
    )


def build_documents(folder: Folder, files: Iterable[ScannedFile], now: datetime) -> list[Document]:
    """What the ranker reads: of each body as much as would be injected."""
    injections = ((file, inject(folder, file.name, now)) for file in files)
    return [
        Document(file.name, file.title, file.description, parse_file(file.name, memory.excerpt.encode()).body)
        for file, memory in injections
        if isinstance(memory, Injection)
    ]


def finish_recall(folder: Folder, prepared: PreparedRecall, choice: Choice, now: datetime) -> RecallResult:
    if not prepared.needs_choice:
        return RecallResult(prepared, Choice(choice.by))
    memories = [inject(folder, memory.name, now) for memory in choice.chosen]
    return RecallResult(
        prepared,
        choice,
        tuple(memory for memory in memories if isinstance(memory, Injection)),
        tuple(memory for memory in memories if isinstance(memory, MissingMemory)),
    )
