"""How large the next request will be if the conversation was edited since the API's last count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.compaction.record import Compaction
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, context_size, estimate


@dataclass(frozen=True, slots=True)
class Savings:
    """What edits saved in the request that the API counted last (`counted`), and in the latest one (`latest`)."""

    anchor: str = ""
    """The answer whose count is used."""
    counted: int = 0
    latest: int = 0


@dataclass(frozen=True, slots=True)
class RequestSize:
    tokens: int
    savings: Savings


def measure_request(
    whole: Sequence[Message],
    view: Sequence[Message],
    since: int,
    savings: Savings,
    overhead: int,
    counter: TokenCounter,
    *,
    deleted: int = 0,
) -> RequestSize:
    """`whole` is the conversation before the edits, `view` after them; `deleted` is what is in the view, but no longer
    in the model's cache.

    A count of the API holds for the request that it answered. What was saved since then is subtracted; counts before
    the index `since` are of a conversation that a compaction has replaced.
    """
    seen = estimate(view, counter) - deleted
    saved = max(0, estimate(whole, counter) - seen)
    counted_size = context_size(whole, since=since, counter=counter)
    if counted_size.anchor is None:
        return RequestSize(seen + overhead, Savings("", saved, saved))
    answer = whole[counted_size.anchor]
    anchor = answer.message_id or answer.uuid
    counted = savings.counted if anchor == savings.anchor else savings.latest
    return RequestSize(counted_size.tokens - max(0, saved - counted), Savings(anchor, counted, saved))


def index_after_compaction(messages: Sequence[Message], compactions: Sequence[Compaction]) -> int:
    """The index after everything that was there when the last compaction was made."""
    if not compactions:
        return 0
    last = compactions[-1]
    ends = {last.tail, *(message.uuid for message in (*last.inserted, *last.appended))} - {""}
    return next((index + 1 for index in range(len(messages) - 1, -1, -1) if messages[index].uuid in ends), 0)
