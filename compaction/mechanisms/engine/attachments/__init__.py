"""What follows the summary of a compaction, each part within a budget."""

from __future__ import annotations

from compaction.mechanisms.engine.attachments.attach import (
    AttachmentConfig,
    Attachments,
    Sources,
    attach,
    hook_messages,
)
from compaction.mechanisms.engine.attachments.client_process import ClientProcess, find_process
from compaction.mechanisms.engine.attachments.file_history import FileHistory, Records, no_records
from compaction.mechanisms.engine.attachments.file_text import FileText
from compaction.mechanisms.engine.attachments.files import FileConfig, files_touched
from compaction.mechanisms.engine.attachments.recorded_surroundings import surroundings_of
from compaction.mechanisms.engine.attachments.skills import SkillConfig, is_skill_attachment
from compaction.mechanisms.engine.attachments.surroundings import BackgroundAgent, Plan, ReadFile, Skill, Surroundings

__all__ = [
    "AttachmentConfig",
    "Attachments",
    "BackgroundAgent",
    "ClientProcess",
    "FileConfig",
    "FileHistory",
    "FileText",
    "Plan",
    "ReadFile",
    "Records",
    "Skill",
    "SkillConfig",
    "Sources",
    "Surroundings",
    "attach",
    "files_touched",
    "find_process",
    "hook_messages",
    "is_skill_attachment",
    "no_records",
    "surroundings_of",
]
