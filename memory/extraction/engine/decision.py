"""Whether what has happened since the last look is looked through for memories."""

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
    """Turns of the user that have to come together."""
    turns: int = 5
    """Answers of whoever looks: one to read, one to write, and some to put things right."""


@dataclass(frozen=True, slots=True)
class ExtractionDecision:
    wanted: bool
    why: str
    start: int
    """The entries from here"""
    stop: int
    """up to here, this one not included."""
    moves: bool = False
    """The cursor moves on, although nobody looks."""


def decide_extraction(
    messages: Sequence[Message],
    cursor: int,
    wrote: Collection[int] = (),
    config: ExtractionConfig | None = None,
    *,
    main: bool = True,
) -> ExtractionDecision:
    """`cursor`: the entry at which the last look ended. `wrote`: entries in which the agent wrote memory itself."""
    config = config or ExtractionConfig()
    new = [one for one in messages if one.position is not None and one.position >= cursor]
    stop = max((one.position + 1 for one in new if one.position is not None), default=cursor)

    def decline(why: str, *, moves: bool = False) -> ExtractionDecision:
        return ExtractionDecision(False, why, cursor, stop, moves)

    if not main:
        return decline(SIDE)
    turns = sum(one.kind is MessageKind.PROMPT for one in new)
    if not turns:
        return decline("Nothing was said since the last look.")
    own = sorted(position for position in wrote if cursor <= position < stop)
    if own:
        return decline(
            f"The agent wrote memory itself, in entry {own[-1]}, so this stretch is passed over.", moves=True
        )
    if new[-1].kind is not MessageKind.ANSWER or not is_idle(messages):
        return decline("The last turn is not over yet.")
    if turns < config.min_turns:
        return decline(f"{plural(turns, 'turn')} since the last look; {config.min_turns} are waited for.")
    return ExtractionDecision(True, f"{plural(turns, 'turn')} since the last look.", cursor, stop)
