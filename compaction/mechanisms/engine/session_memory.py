"""Session-memory compact: the notes of the session become the summary, so no model is asked.

The latest messages are kept as they are: enough of them to go on with, and never so many that nothing is gained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.attachments.parts import CHARACTERS_PER_TOKEN
from compaction.mechanisms.engine.compaction.boundary import index_after_boundary
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.compaction.record import CompactionMethod, Cut
from compaction.mechanisms.engine.compaction.result_messages import CompactionDraft, apply_draft
from compaction.mechanisms.engine.conversation.kept_range import start_at_or_before
from compaction.mechanisms.engine.conversation.standing import is_standing
from compaction.mechanisms.engine.report import Outcome, Report
from compaction.mechanisms.engine.setting_field import setting
from memory.notes.engine import is_empty, sections_of
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import TokenCounter, estimate

MECHANISM = "session memory"
BY_TIME = (
    "the notes name no last message, so what was said after they were written is kept, with the turn under way then"
)
UNKNOWN_COVER = "how far they go is not known, so as many of the latest messages are kept as may be"


@dataclass(frozen=True, slots=True)
class SessionMemoryConfig:
    TITLE: ClassVar[str] = "Session notes"

    enabled: bool = setting(True, "Whether it is done at all.")
    keep_tokens: int = setting(
        10_000, "Tokens of the latest messages that stay, at least.", label="Latest tokens, at least"
    )
    keep_text_messages: int = setting(5, "Messages with words that stay, at least.", label="Latest messages, at least")
    keep_most_tokens: int = setting(
        40_000, "Tokens of the latest messages that stay, at most.", label="Latest tokens, at most"
    )
    section_tokens: int = setting(2_000, "Tokens of a section of the notes; a longer one is cut.")

    @property
    def section_characters(self) -> int:
        return self.section_tokens * CHARACTERS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Notes:
    text: str
    path: str = ""
    template: str = ""
    is_being_written: bool = False
    """Whether they are being written right now."""
    source: str = ""
    """How they came about, such as “taken by the agent”."""
    last_summarized: str = ""
    """The id of the last message that they cover, if it was recorded."""
    written_at: float | None = None
    """When they were written, in seconds since the epoch: they cover nothing that was said later."""


ReadNotes = Callable[[], Notes | None]
"""Waits until a running extraction has ended, and reads the notes; None if there are none."""


def session_memory_compact(
    messages: Sequence[Message],
    notes: Notes | None,
    config: SessionMemoryConfig | None = None,
    *,
    last_summarized: str = "",
    threshold: int,
    occasion: Occasion | None = None,
    attachments: AttachmentConfig | None = None,
) -> Outcome[Attempt]:
    """`last_summarized` is the id of the last message that the notes cover, by default the one that they name. Without
    one, their time tells; without that, as much is kept as may be kept."""
    config, occasion = config or SessionMemoryConfig(), occasion or Occasion()
    before = estimate(messages, occasion.counter)

    def decline(why: str) -> Outcome[Attempt]:
        return Outcome(messages, Report(MECHANISM, False, why, before, before), Attempt())

    if not config.enabled:
        return decline("Session-memory compact is switched off.")
    if notes is None:
        return decline("There are no notes of this session.")
    if notes.is_being_written:
        return decline("The notes are still being written.")
    if is_empty(notes.text, notes.template):
        return decline("The notes are still the empty template.")
    last = last_summarized or notes.last_summarized
    remark, why_removed = "", "The notes cover it."
    if not last and notes.written_at is not None:
        last, remark = covered_by(messages, notes.written_at), BY_TIME
        if not last:
            return decline("By the time of their file, nothing of this conversation is surely in the notes.")
    elif not last:
        remark, why_removed = UNKNOWN_COVER, "Whether the notes cover it is not known."
        config = replace(config, keep_tokens=config.keep_most_tokens)
    start = find_kept_start(messages, config, last, occasion.counter)
    if start is None:
        return decline("The last message that the notes cover is not in this conversation.")
    if all(is_standing(message) or not message.content for message in messages[:start]):
        return decline("Every message would be kept, so there is nothing to summarise.")
    summary, shortened = cut_sections(notes, config)
    draft = CompactionDraft(
        MECHANISM,
        CompactionMethod.SESSION_MEMORY,
        Cut(0, start),
        summary,
        why_removed,
        "The notes of the session.",
        (*_source_remark(notes), *([remark] if remark else []), *shortened),
        threshold=threshold,
    )
    return apply_draft(messages, draft, occasion, attachments or AttachmentConfig())


def covered_by(messages: Sequence[Message], written_at: float) -> str:
    """The id of the last message that notes of this time surely cover; empty if there is none. They were asked for
    before they were written, so a turn that was under way then may not be in them."""
    earlier = [index for index, message in enumerate(messages) if message.at is None or message.at <= written_at]
    if not earlier:
        return ""
    last = earlier[-1]
    if not _ends_turn(messages[last]):
        prompt = next((index for index in range(last, -1, -1) if messages[index].kind is MessageKind.PROMPT), 0)
        last = prompt - 1
    return messages[last].uuid if last >= 0 else ""


def _ends_turn(message: Message) -> bool:
    return message.role == "assistant" and not any(block.get("type") == "tool_use" for block in message.content)


def find_kept_start(
    messages: Sequence[Message], config: SessionMemoryConfig, last_summarized: str, counter: TokenCounter
) -> int | None:
    """Where the kept messages begin; None if the notes end at a message that is not here."""
    floor = _floor(messages)
    if last_summarized:
        last_index = next((index for index, message in enumerate(messages) if message.uuid == last_summarized), None)
        if last_index is None:
            return None
        start = max(last_index + 1, floor)
    else:
        start = len(messages)
    tokens = estimate(messages[start:], counter)
    texts = sum(map(_has_text, messages[start:]))
    while start > floor and tokens < config.keep_most_tokens:
        if tokens >= config.keep_tokens and texts >= config.keep_text_messages:
            break
        start -= 1
        tokens += counter(messages[start].content)
        texts += _has_text(messages[start])
    return start_at_or_before(messages, start)


def cut_sections(notes: Notes, config: SessionMemoryConfig) -> tuple[str, list[str]]:
    """The notes with every section within its limit, and a remark on each that was cut."""
    sections, remarks = [], []
    for part in sections_of(notes.text):
        section, heading = part.text, part.title or "before the first heading"
        if len(section) <= config.section_characters:
            sections.append(section)
            continue
        end = section.rfind("\n", 0, config.section_characters)
        shortened = section[: end if end > config.section_characters // 2 else config.section_characters]
        where = f"; all of it is in {notes.path}" if notes.path else ""
        sections.append(f"{shortened}\n[this section is cut at {config.section_tokens:,} tokens{where}]\n\n")
        remarks.append(f"section {heading} is cut from {len(section):,} to {len(shortened):,} characters")
    return "".join(sections).strip(), remarks


def _source_remark(notes: Notes) -> tuple[str, ...]:
    return (f"the notes were {notes.source}",) if notes.source else ()


def _floor(messages: Sequence[Message]) -> int:
    """The index after the last boundary and its summary, which the notes cover too."""
    floor = index_after_boundary(messages)
    while floor and floor < len(messages) and messages[floor].kind is MessageKind.SUMMARY:
        floor += 1
    return floor


def _has_text(message: Message) -> bool:
    return any(
        block.get("type") == "text" and isinstance(block.get("text"), str) and block["text"].strip()
        for block in message.content
    )
