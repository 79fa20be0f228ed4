"""The message that replaces the summarised part: everything that the model still knows about it."""

from __future__ import annotations

from compaction.mechanisms.engine.compaction.boundary import Trigger
from sessions.transcripts.engine.messages import Message, MessageKind, text_block

OPENING = (
    "The conversation that led here no longer fits, and its earlier part was replaced by a summary. "
    "The session goes on from it."
)
OPENING_AFTER_KEPT = (
    "The messages above stand as they were written. What came after them was replaced by this summary, and the session "
    "goes on from it."
)
KEPT = "The messages after this one are the latest of the conversation and stand as they were written."
RESUME = (
    "Go on with the task that was under way, as if there had been no interruption. Do not mention or repeat the "
    "summary, do not announce that you are continuing, and ask nothing that is answered in it."
)

AUTONOMOUS = (
    "You work on your own: nobody reads along, and this is not where the work began. Take it up where it stopped, do "
    "not greet anybody, and do not ask what to do."
)


def continuation_text(
    summary: str,
    *,
    transcript_path: str = "",
    trigger: Trigger = Trigger.AUTO,
    has_kept: bool = False,
    kept_first: bool = False,
    autonomous: bool = False,
) -> str:
    """`has_kept`: messages are kept after the summary; `kept_first`: they come before it instead."""
    parts = [OPENING_AFTER_KEPT if kept_first else OPENING, f"Summary:\n{summary.strip()}"]
    if has_kept and not kept_first:
        parts.append(KEPT)
    if transcript_path:
        parts.append(
            "Where the exact words, code or output from before are needed, the complete transcript can be read at "
            f"{transcript_path}"
        )
    if trigger is Trigger.AUTO:
        parts.append(RESUME)
        if autonomous:
            parts.append(AUTONOMOUS)
    return "\n\n".join(parts)


def summary_message(text: str, uuid: str, made_at: float | None = None) -> Message:
    return Message("user", (text_block(text),), MessageKind.SUMMARY, uuid, at=made_at)
