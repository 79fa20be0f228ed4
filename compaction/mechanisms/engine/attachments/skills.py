"""The skills that were invoked, newest first: their instructions bind the model beyond the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.attachments.parts import AttachmentPart, count_tokens, cut_to_tokens
from compaction.mechanisms.engine.attachments.surroundings import Skill
from compaction.mechanisms.engine.setting_field import setting
from sessions.transcripts.engine.messages import Message, MessageKind

OPENING = "<invoked-skills>"


@dataclass(frozen=True, slots=True)
class SkillConfig:
    enabled: bool = setting(True, "Skills that were used.")
    tokens_each: int = setting(5_000, "Tokens of one skill.")
    tokens_in_all: int = setting(25_000, "Tokens of all skills.")


def restore_skills(skills: Sequence[Skill], config: SkillConfig) -> Iterator[AttachmentPart]:
    latest: dict[str, Skill] = {}
    for skill in sorted(skills, key=lambda skill: skill.invoked_at, reverse=True):
        latest.setdefault(skill.name, skill)
    texts, remarks, spent = [], [], 0
    for skill in latest.values():
        room = min(config.tokens_each, config.tokens_in_all - spent)
        if room <= 0:
            remarks.append(f"skill {skill.name} is left out: {config.tokens_in_all:,} tokens of skills are restored")
            continue
        fits = cut_to_tokens(skill.text, room)
        spent += count_tokens(fits)
        if len(fits) < len(skill.text):
            remarks.append(
                f"skill {skill.name} is cut from {count_tokens(skill.text):,} to {count_tokens(fits):,} tokens"
            )
            where = f" in {skill.path}" if skill.path else ""
            fits = f"{fits}\n[cut here; the rest can be read{where}]"
        texts.append(f'<skill name="{skill.name}">\n{fits}\n</skill>')
    if texts:
        listed = "\n".join(texts)
        text = f"{OPENING}\nThese skills were invoked in this session and still apply.\n{listed}\n</invoked-skills>"
        yield AttachmentPart("invoked-skills", text, f"{len(texts)} invoked skills", tuple(remarks))
    elif remarks:
        yield AttachmentPart("invoked-skills", "", "", tuple(remarks))


def is_skill_attachment(message: Message) -> bool:
    if message.kind is not MessageKind.INJECTED or not message.content:
        return False
    text = message.content[0].get("text")
    return isinstance(text, str) and text.startswith(OPENING)
