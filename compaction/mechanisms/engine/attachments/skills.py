"""The skills that were invoked, newest first: their instructions bind the model beyond the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.attachments.parts import AttachmentPart, as_reminder, count_tokens, cut_to_tokens
from compaction.mechanisms.engine.attachments.surroundings import Skill
from compaction.mechanisms.engine.setting_field import setting
from sessions.context.engine.rendering.records import strip_reminder_tags
from sessions.context.engine.rendering.wording import INVOKED_SKILLS, SKILLS, attachment_texts
from sessions.transcripts.engine.messages import Message, MessageKind

_ATTACHMENTS = frozenset({"skill_listing", "invoked_skills"})


@dataclass(frozen=True, slots=True)
class SkillConfig:
    enabled: bool = setting(True, "Skills that were used.")
    tokens_each: int = setting(5_000, "Tokens of one skill.")
    tokens_in_all: int = setting(25_000, "Tokens of all skills.")


def restore_skills(skills: Sequence[Skill], config: SkillConfig) -> Iterator[AttachmentPart]:
    latest: dict[str, Skill] = {}
    for skill in sorted(skills, key=lambda skill: skill.invoked_at, reverse=True):
        latest.setdefault(skill.name, skill)
    restored: list[dict[str, str]] = []
    remarks: list[str] = []
    spent = 0
    for skill in latest.values():
        room = min(config.tokens_each, config.tokens_in_all - spent)
        if room <= 0:
            remarks.append(f"skill {skill.name} is left out: skills may have {config.tokens_in_all:,} tokens in all")
            continue
        fits = cut_to_tokens(skill.text, room)
        spent += count_tokens(fits)
        if len(fits) < len(skill.text):
            remarks.append(
                f"skill {skill.name} is cut from ~{count_tokens(skill.text):,} to ~{count_tokens(fits):,} tokens"
            )
            where = f" in {skill.path}" if skill.path else ""
            fits = f"{fits}\n[cut here; the rest can be read{where}]"
        restored.append({"name": skill.name, "path": skill.path, "content": fits})
    texts = attachment_texts({"type": "invoked_skills", "skills": restored})
    if texts or remarks:
        why = f"{len(restored)} invoked skills" if len(restored) != 1 else "an invoked skill"
        yield AttachmentPart("invoked-skills", tuple(map(as_reminder, texts)), why, tuple(remarks))


def is_skill_attachment(message: Message) -> bool:
    """A list of skills, or the text of those that were invoked: they are attached again anyway."""
    if message.kind is not MessageKind.INJECTED or not message.content:
        return False
    words = strip_reminder_tags(str(message.content[0].get("text", "")))
    return message.attachment in _ATTACHMENTS or words.startswith((SKILLS, INVOKED_SKILLS[:60]))
