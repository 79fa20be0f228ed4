"""How large the next request will be, when the API's last count was of a conversation that has been edited since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.compaction.record import Compaction
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, context_size, estimate


@dataclass(frozen=True, slots=True)
class Savings:
    """What edits saved: in the request that the API counted last (`counted`), and in the latest one (`latest`)."""

    anchor: str = ""
    """The answer whose count is used."""
    counted: int = 0
    latest: int = 0


@dataclass(frozen=True, slots=True)
class Sized:
    tokens: int
    savings: Savings


def sized(
    whole: Sequence[Message],
    shown: Sequence[Message],
    since: int,
    savings: Savings,
    overhead: int,
    counter: TokenCounter,
) -> Sized:
    """`whole` is what the edits were given, `shown` what they made of it.

    A count of the API holds for the request that it answered. What has been saved since then comes off; before the
    index `since` counts are of a conversation that a compaction has replaced.
    """
    saved = max(0, estimate(whole, counter) - estimate(shown, counter))
    known = context_size(whole, since=since, counter=counter)
    if known.anchor is None:
        return Sized(estimate(shown, counter) + overhead, Savings("", saved, saved))
    answer = whole[known.anchor]
    anchor = answer.message_id or answer.uuid
    counted = savings.counted if anchor == savings.anchor else savings.latest
    return Sized(known.tokens - max(0, saved - counted), Savings(anchor, counted, saved))


def since_last(messages: Sequence[Message], compactions: Sequence[Compaction]) -> int:
    """The index behind everything that was there when the last compaction was made."""
    if not compactions:
        return 0
    last = compactions[-1]
    ends = {last.tail, *(message.uuid for message in (*last.inserted, *last.appended))} - {""}
    return next((at + 1 for at in range(len(messages) - 1, -1, -1) if messages[at].uuid in ends), 0)
