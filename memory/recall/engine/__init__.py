"""Recall: which memories are injected beside a message, step by step."""

from __future__ import annotations

from memory.recall.engine.age import age
from memory.recall.engine.asking import (
    ANSWER_TOKENS,
    Question,
    manifest,
    question,
    read_answer,
)
from memory.recall.engine.bench import (
    Dropped,
    Prepared,
    Recalled,
    documents,
    finish,
    prepare,
)
from memory.recall.engine.choosing import MOST_CHOSEN, Choice, Chosen
from memory.recall.engine.injecting import (
    MOST_BYTES,
    MOST_LINES,
    Injected,
    Missing,
    inject,
)
from memory.recall.engine.ranking import (
    RANKER,
    Document,
    Ranked,
    Ranker,
)
from memory.recall.engine.replay import (
    Answer,
    Event,
    Outcome,
    Said,
    Tally,
    replay,
)
from memory.recall.engine.scan import (
    HEAD_LINES,
    MOST_FILES,
    Passed,
    Scan,
    Scanned,
    scan,
)
from memory.recall.engine.state import (
    SESSION_BYTES,
    Compacted,
    How,
    Known,
    State,
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
    "Chosen",
    "Compacted",
    "Document",
    "Dropped",
    "Event",
    "How",
    "Injected",
    "Known",
    "Missing",
    "Outcome",
    "Passed",
    "Prepared",
    "Question",
    "Ranked",
    "Ranker",
    "Recalled",
    "Said",
    "Scan",
    "Scanned",
    "State",
    "Tally",
    "age",
    "documents",
    "finish",
    "inject",
    "manifest",
    "prepare",
    "question",
    "read_answer",
    "replay",
    "scan",
    "state_of",
    "why_not",
]
