"""The pipeline on a context that is about full, when no model is asked."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.table import Row, at_most
from compaction.mechanisms.engine import (
    Effects,
    MicrocompactConfig,
    Notes,
    PipelineConfig,
    PipelineOutcome,
    PipelineState,
    TimedConfig,
    run_pipeline,
)
from sessions.transcripts.engine.messages import Message, read_messages, replace_fields
from sessions.usage.engine.tokens import estimate

TOKENS = 170_000
TARGET_MS = 50
BOUND_MODEL = "claude-opus-5-5"
NOW = 1_790_000_000.0


def pipeline_rows(repetitions: int) -> list[Row]:
    """The first request of a session, a later one with its state, one after a pause, and a compaction by notes."""
    messages = conversation(TOKENS)
    times = 5 * repetitions
    notes = Effects(read_notes=lambda: Notes("# Session Title\nTides\n" + "- a step\n" * 500))
    paused = PipelineConfig(microcompact=MicrocompactConfig(TimedConfig(enabled=True)))
    bound = PipelineConfig(model=BOUND_MODEL)
    state = run_pipeline(messages, now=NOW).state
    return [
        _row("first request", lambda: run_pipeline(messages, now=NOW), times),
        _row("later request", lambda: run_pipeline(messages, state=state, now=NOW), times),
        _row("after a pause", lambda: run_pipeline(messages, paused, state, now=NOW + 7_200), times),
        _row("with signed thinking", lambda: run_pipeline(messages, bound, now=NOW), times),
        _row("compaction by notes", lambda: run_pipeline(messages, state=state, now=NOW, effects=notes), times),
        _saved_row(state, times),
    ]


def conversation(tokens: int) -> list[Message]:
    """Short answers, thinking, and results of a few hundred to a few thousand characters, as sessions have them."""
    array: list[dict[str, Any]] = [{"role": "user", "content": "Please look through all of this."}]
    size = number = 0
    while size < tokens:
        number += 1
        tool = f"toolu_{number:04}"
        thinking = {"type": "thinking", "thinking": "The next file will tell. " * 8, "signature": f"{number:0400}"}
        words = {"type": "text", "text": "I look at the next file, because the last one refers to it. " * 3}
        call = {"type": "tool_use", "id": tool, "name": "Read", "input": {"file_path": f"/work/tides/part{number}.py"}}
        text = f"{number:>6} height = sum(constant.at(moment) for constant in constants)\n" * (5 + 7 * (number % 8))
        result = {"type": "tool_result", "tool_use_id": tool, "content": text}
        turn: list[dict[str, Any]] = [
            {"role": "assistant", "content": [thinking, words, call]},
            {"role": "user", "content": [result]},
        ]
        if number % 6 == 0:
            turn += [{"role": "assistant", "content": "That is it."}, {"role": "user", "content": "Go on, please."}]
        array += turn
        size += estimate(read_messages(turn))
    array += [{"role": "assistant", "content": "That was all."}, {"role": "user", "content": "And now the tables."}]
    return [replace_fields(message, at=NOW) for message in read_messages(array)]


def _row(what: str, run: Callable[[], PipelineOutcome], times: int) -> Row:
    run()
    return Row("pipeline", what, _milliseconds(run, times), "ms", target=at_most(TARGET_MS, "ms"))


def _saved_row(state: PipelineState, times: int) -> Row:
    taken = _milliseconds(lambda: PipelineState.from_bytes(state.to_bytes()), times)
    return Row("pipeline", "state saved and loaded", taken, "ms")


def _milliseconds(run: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append(1_000 * (time.perf_counter() - started))
    return statistics.median(taken)
