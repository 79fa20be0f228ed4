"""The message that stands for what was summarised: everything the model still knows of it is in here."""

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


def continuation_text(
    summary: str, *, transcript_path: str = "", trigger: Trigger = Trigger.AUTO, kept: bool = False, above: bool = False
) -> str:
    """`kept`: verbatim messages follow; `above`: they stand before the summary instead."""
    parts = [OPENING_AFTER_KEPT if above else OPENING, f"Summary:\n{summary.strip()}"]
    if kept and not above:
        parts.append(KEPT)
    if transcript_path:
        parts.append(
            "Where the exact words, code or output from before are needed, the complete transcript can be read at "
            f"{transcript_path}"
        )
    if trigger is Trigger.AUTO:
        parts.append(RESUME)
    return "\n\n".join(parts)


def summary_message(text: str, uuid: str, at: float | None = None) -> Message:
    return Message("user", (text_block(text),), MessageKind.SUMMARY, uuid, at=at)
