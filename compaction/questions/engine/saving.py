"""The cost of requests that share a prompt cache, and what they would have cost without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.text.engine.words import money, plural, tokens
from sessions.usage.engine.prices import total_cost
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Saving:
    questions: int
    read: int
    prompt: int
    paid: float | None
    """None if no price is known."""
    uncached: float | None
    """As if each had been asked with nothing in the cache."""

    @property
    def sentence(self) -> str:
        shared = f"{tokens(self.read)} of their {tokens(self.prompt)} tokens came from its prompt cache"
        start = f"{plural(self.questions, 'question')} went to one session at once: {shared}."
        if self.paid is None or self.uncached is None:
            return f"{start} What that saved is unknown: no price is known for the model."
        difference = self.uncached - self.paid
        verdict = f"{money(difference)} less" if difference >= 0 else f"{money(-difference)} more"
        return f"{start} They cost {money(self.paid)}, {verdict} than without a cache ({money(self.uncached)})."


def saving_of(model: str, usages: Sequence[Usage]) -> Saving:
    """`usages`: those of the first request of each question."""
    uncached = [Usage(usage.context, 0, 0, 0, usage.output) for usage in usages]
    return Saving(
        len(usages),
        sum(usage.cache_read for usage in usages),
        sum(usage.context for usage in usages),
        total_cost(model, usages),
        total_cost(model, uncached),
    )
