"""Recall: which memories are injected with a message, step by step."""

from __future__ import annotations

from memory.recall.engine.age import age
from memory.recall.engine.bench import (
    DroppedFile,
    PreparedRecall,
    RecallResult,
    build_documents,
    finish_recall,
    prepare_recall,
)
from memory.recall.engine.choice import MOST_CHOSEN, Choice, ChosenMemory
from memory.recall.engine.injection import MOST_BYTES, MOST_LINES, Injection, MissingMemory, inject
from memory.recall.engine.memory_scan import HEAD_LINES, MOST_FILES, MemoryScan, ScannedFile, SkippedFile, scan_memory
from memory.recall.engine.model_prompt import ANSWER_TOKENS, Question, manifest, question, read_answer
from memory.recall.engine.ranking import RANKER, Document, RankedMemory, Ranker
from memory.recall.engine.replay import Answer, Event, Outcome, Tally, UserMessage, replay
from memory.recall.engine.state import (
    SESSION_BYTES,
    CompactionEvent,
    KnownBy,
    KnownMemory,
    RecallState,
    state_of,
    why_not,
)

__all__ = [
    "ANSWER_TOKENS",
    "HEAD_LINES",
    "MOST_BYTES",
    "MOST_CHOSEN",
    "MOST_FILES",
    "MOST_LINES",
    "RANKER",
    "SESSION_BYTES",
    "Answer",
    "Choice",
    "ChosenMemory",
    "CompactionEvent",
    "Document",
    "DroppedFile",
    "Event",
    "Injection",
    "KnownBy",
    "KnownMemory",
    "MemoryScan",
    "MissingMemory",
    "Outcome",
    "PreparedRecall",
    "Question",
    "RankedMemory",
    "Ranker",
    "RecallResult",
    "RecallState",
    "ScannedFile",
    "SkippedFile",
    "Tally",
    "UserMessage",
    "age",
    "build_documents",
    "finish_recall",
    "inject",
    "manifest",
    "prepare_recall",
    "question",
    "read_answer",
    "replay",
    "scan_memory",
    "state_of",
    "why_not",
]
