"""A request that does not fit: which of the oldest rounds are dropped to make it fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.identity import derived_id
from sessions.lint.engine import repair_messages
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.transcripts.engine.messages.cuts import find_cuts
from sessions.usage.engine.tokens import TokenCounter, estimate_blocks

MARKER = "[earlier conversation truncated for compaction retry]"
SHARE_WITHOUT_GAP = 0.2


class PromptTooLongError(Exception):
    """The API refused a request because of its size. `gap` is by how many tokens, if the API told."""

    def __init__(self, message: str = "The prompt is too long.", *, gap: int | None = None) -> None:
        super().__init__(message)
        self.gap = gap


class NothingLeftError(Exception):
    """Even the last round does not fit."""


@dataclass(frozen=True, slots=True)
class Truncation:
    messages: list[Message]
    dropped: int
    """Rounds."""
    rounds: int
    """How many rounds there were."""


def rounds_of(messages: Sequence[Message]) -> list[list[Message]]:
    """Groups of one response each, with the input before it and the results after it.

    Records of one response stay together whatever comes between them, so a call is never separated from its result.
    """
    places = find_cuts(messages)
    rounds: list[list[Message]] = []
    answered = False
    for index, message in enumerate(messages):
        input_or_answer = message.kind is not MessageKind.RESULT and message.role != "system"
        begins = answered and input_or_answer and places.is_legal(index)
        if begins or not rounds:
            rounds.append([])
            answered = False
        rounds[-1].append(message)
        answered = answered or message.role == "assistant"
    return rounds


def truncate(
    messages: Sequence[Message], gap: int | None, *, attempt: int = 1, counter: TokenCounter = estimate_blocks
) -> Truncation:
    """Drops the oldest rounds: as many as the `gap` needs, or a fifth if that is unknown.

    Raises NothingLeftError if no round would be left to summarise.
    """
    body = list(messages)
    if body and _is_marker(body[0]):
        # Else the marker of an earlier retry would be the oldest round, and dropping it would gain nothing.
        body = body[1:]
    rounds = rounds_of(body)
    drop = _count_rounds_to_drop(rounds, gap, counter)
    if drop >= len(rounds):
        raise NothingLeftError(
            "The conversation is too long to be summarised: even its last round alone does not fit. "
            "Go back a few messages, or remove the largest result, and try again."
        )
    remaining = [message for group in rounds[drop:] for message in group]
    if next((message.role for message in remaining if message.role != "system"), "") == "assistant":
        marker = Message("user", (text_block(MARKER),), MessageKind.INJECTED, derived_id("truncated", str(attempt)))
        remaining.insert(0, marker)
    remaining, _ = repair_messages(remaining)
    return Truncation(remaining, drop, len(rounds))


def _count_rounds_to_drop(rounds: Sequence[Sequence[Message]], gap: int | None, counter: TokenCounter) -> int:
    if gap is None:
        return max(1, int(len(rounds) * SHARE_WITHOUT_GAP))
    covered = 0
    for number, group in enumerate(rounds, 1):
        covered += sum(counter(message.content) for message in group)
        if covered >= gap:
            return number
    return len(rounds)


def _is_marker(message: Message) -> bool:
    return (
        message.kind is MessageKind.INJECTED
        and len(message.content) == 1
        and message.content[0].get("text") == MARKER
        and message.role == "user"
    )
