"""Several requests to one model at once. They begin alike, so the first is let begin to answer before the others are
sent: from then on the prompt cache has what they share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event

from inspector.agents.errors import ModelError
from inspector.agents.model import Ask, AttemptStarted, LanguageModel, Progress, Reply


@dataclass(frozen=True, slots=True)
class Answered:
    """A request with its reply, or the error that it ended with."""

    ask: Ask
    outcome: Reply | ModelError
    asked_at: float
    """Seconds since 1970."""
    duration: float
    """Seconds."""


def ask_together(model: LanguageModel, asks: Sequence[Ask]) -> tuple[Answered, ...]:
    """In the order of the requests. A listener is called in the thread of its request."""
    if not asks:
        return ()
    answering = Event()

    def hear(progress: Progress) -> None:
        if not isinstance(progress, AttemptStarted):
            answering.set()
        asks[0].report(progress)

    def lead() -> Answered:
        try:
            return _answer(model, replace(asks[0], listener=hear), asks[0])
        finally:
            answering.set()

    def follow(ask: Ask) -> Answered:
        answering.wait()
        return _answer(model, ask, ask)

    with ThreadPoolExecutor(len(asks)) as pool:
        futures = [pool.submit(lead), *(pool.submit(follow, ask) for ask in asks[1:])]
        return tuple(future.result() for future in futures)


def _answer(model: LanguageModel, sent: Ask, ask: Ask) -> Answered:
    asked_at, started = time.time(), time.perf_counter()
    outcome: Reply | ModelError
    try:
        outcome = model.ask(sent)
    except ModelError as error:
        outcome = error
    return Answered(ask, outcome, asked_at, time.perf_counter() - started)


class AnsweredModel:
    """A model whose first request was answered already; every other is asked of it."""

    def __init__(self, model: LanguageModel, answered: Answered) -> None:
        self._model = model
        self._answered: Answered | None = answered

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def verbatim(self) -> bool:
        return self._model.verbatim

    def ask(self, ask: Ask, /) -> Reply:
        answered, self._answered = self._answered, None
        if answered is None:
            return self._model.ask(ask)
        ask.report(AttemptStarted(1))
        if isinstance(answered.outcome, ModelError):
            raise answered.outcome
        return answered.outcome
