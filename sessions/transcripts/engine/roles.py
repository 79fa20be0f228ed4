"""Tells by its path whose file a transcript is.

Sub-agents have been stored in three ways: as rows inside the main file (see `linking.sidechains`), as
`agent-<id>.jsonl` beside the session (2.0.28 to 2.0.x), and as `<session>/subagents/agent-<id>.jsonl` (2.1.2 and later,
flat at every depth).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

NAME_CHARS = 200
"""Ids are uuids; a name that is longer than any id is cut, as it is in the records."""


class FileKind(StrEnum):
    MAIN = "main"
    AGENT = "agent"
    COMPACTION = "compaction"
    """The compaction agent's own transcript: a copy of the conversation."""
    JOURNAL = "journal"
    """What a workflow started and got back; not a transcript."""
    RESULT = "result"
    """Spilled tool output."""


@dataclass(frozen=True, slots=True)
class FileRole:
    kind: FileKind
    session_id: str
    """Empty where only the records can tell: agents that lie beside their session."""
    agent_id: str = ""
    workflow: str = ""
    """The run that an agent or a journal belongs to."""


def classify(path: PurePath) -> FileRole:
    """The role of a file by its path, which may be relative to the project's directory or longer: only its end
    counts."""
    folders = path.parts[:-1]
    stem = path.name.split(".", 1)[0][:NAME_CHARS]
    if folders[-1:] == ("tool-results",):
        return FileRole(FileKind.RESULT, _folder_above(folders, "tool-results"))
    session = _folder_above(folders, "subagents")
    workflow = folders[-1] if "workflows" in folders[:-1] and session else ""
    if path.name == "journal.jsonl" and session:
        return FileRole(FileKind.JOURNAL, session, workflow=workflow)
    if stem.startswith("agent-"):
        agent = stem.removeprefix("agent-")
        kind = FileKind.COMPACTION if agent.startswith("acompact-") else FileKind.AGENT
        return FileRole(kind, session, agent, workflow)
    return FileRole(FileKind.MAIN, stem)


def _folder_above(folders: tuple[str, ...], name: str) -> str:
    """The parent of the last folder of this name: the session's folder."""
    for index in range(len(folders) - 1, 0, -1):
        if folders[index] == name:
            return folders[index - 1][:NAME_CHARS]
    return ""
