"""What follows a compaction beside the summary, each within a budget."""

from __future__ import annotations

from compaction.mechanisms.engine.attachments.attach import AttachmentConfig, Attachments, attach, hook_messages
from compaction.mechanisms.engine.attachments.files import FileConfig, files_read
from compaction.mechanisms.engine.attachments.skills import SkillConfig, is_skill_attachment
from compaction.mechanisms.engine.attachments.surroundings import (
    BackgroundAgent,
    Listing,
    Plan,
    ReadFile,
    Skill,
    Surroundings,
)

__all__ = [
    "AttachmentConfig",
    "Attachments",
    "BackgroundAgent",
    "FileConfig",
    "Listing",
    "Plan",
    "ReadFile",
    "Skill",
    "SkillConfig",
    "Surroundings",
    "attach",
    "files_read",
    "hook_messages",
    "is_skill_attachment",
]
