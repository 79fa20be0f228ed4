"""The last message that notes cover."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.messages.cuts import find_cuts


def last_summarized_after(messages: Sequence[Message], previous: str) -> str:
    """The id to remember after an update of the notes.

    While a call of the last answer waits for its result, the old id stays, because a cut after the call would separate
    the two.
    """
    if not messages or not find_cuts(messages).is_legal(len(messages)):
        return previous
    return messages[-1].uuid or previous
