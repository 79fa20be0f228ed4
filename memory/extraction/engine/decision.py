"""Decides whether to look for memories in what happened since the last extraction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.notes.engine.due import is_idle
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind

SIDE = "Memories are only taken from the main thread of a session."


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    min_turns: int = 1
    """Turns of the user that must have come in."""
    turns: int = 5
    """Answers of the model: one to read, one to write, and some to correct."""


@dataclass(frozen=True, slots=True)
class ExtractionDecision:
    is_due: bool
    why: str
    start: int
    """The first entry."""
    stop: int
    """The entry after the last."""
    moves_cursor: bool = False
    """The cursor moves on although nothing is extracted."""


def decide_extraction(
    messages: Sequence[Message],
    cursor: int,
    wrote: Collection[int] = (),
    config: ExtractionConfig | None = None,
    *,
    main: bool = True,
) -> ExtractionDecision:
    """`cursor`: where the last extraction ended. `wrote`: entries in which the agent wrote memory itself."""
    config = config or ExtractionConfig()
    new = [message for message in messages if message.position is not None and message.position >= cursor]
    stop = max((message.position + 1 for message in new if message.position is not None), default=cursor)

    def decline(why: str, *, moves_cursor: bool = False) -> ExtractionDecision:
        return ExtractionDecision(False, why, cursor, stop, moves_cursor)

    if not main:
        return decline(SIDE)
    turns = sum(message.kind is MessageKind.PROMPT for message in new)
    if not turns:
        return decline("Nothing was said since the last look.")
    own = sorted(position for position in wrote if cursor <= position < stop)
    if own:
        return decline(
            f"The agent wrote memory itself, in entry {own[-1]}, so this stretch is passed over.", moves_cursor=True
        )
    if new[-1].kind is not MessageKind.ANSWER or not is_idle(messages):
        return decline("The last turn is not over yet.")
    if turns < config.min_turns:
        return decline(f"{plural(turns, 'turn')} since the last look; {config.min_turns} are waited for.")
    return ExtractionDecision(True, f"{plural(turns, 'turn')} since the last look.", cursor, stop)
