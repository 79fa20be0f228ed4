"""What the client puts around a conversation: environment, tool and skill lists, instructions, reminders."""

from __future__ import annotations

from tests.demo.story.blocks import Record
from tests.demo.story.workspace import HOME

NAMES = {
    "claude-opus-5-5": "Opus 5.5",
    "claude-sonnet-5-5": "Sonnet 5.5",
    "claude-haiku-5-5": "Haiku 5.5",
    "kelp-coder-32b": "kelp-coder-32b",
}
DEFERRED = ["EnterPlanMode", "ExitPlanMode", "NotebookEdit", "TaskCreate", "TaskUpdate", "WebFetch", "WebSearch"]
AGENTS = {
    "Explore": "Read-only search over many files; gives the conclusion, not the dumps.",
    "general-purpose": "Research and multi-step work.",
}
SKILLS = {"release-notes": "Writes the release notes of a version from the git log and CHANGELOG.md."}


def reminder(text: str) -> str:
    return f"<system-reminder>\n{text}\n</system-reminder>"


def rendered(*texts: str, role: str = "system") -> Record:
    return {"rendered": [{"content": reminder(text)} for text in texts], "renderedRole": role}


def environment() -> tuple[Record, Record]:
    snapshot = {
        "workingDirectory": HOME,
        "isWorktree": False,
        "isGitRepo": True,
        "additionalWorkingDirectories": [],
        "platform": "linux",
        "shell": "bash",
        "osVersion": "Linux 6.12.0",
    }
    text = (
        f"# Environment\n - Working directory: {HOME}\n - Is a git repository: true\n - Platform: linux\n - Shell: bash"
    )
    return {"type": "environment", "snapshot": snapshot}, rendered(text)


def model(name: str) -> tuple[Record, Record]:
    output = NAMES[name]
    text = f"You are powered by the model named {output}. The exact model ID is {name}."
    identity = {"modelId": name, "marketingName": output, "knowledgeCutoff": "June 2026"}
    return {"type": "model", "identity": identity, "text": text}, rendered(text)


def deferred_tools(added: list[str], removed: list[str] | None = None) -> tuple[Record, Record]:
    delta: Record = {"type": "deferred_tools_delta", "addedNames": added, "addedLines": added}
    delta |= {"removedNames": removed or [], "wireHiddenNames": [], "readdedNames": []}
    delta |= {"pendingMcpServers": [], "failedMcpServers": []}
    text = "These deferred tools can be loaded with ToolSearch; calling them before fails:\n" + "\n".join(added)
    return delta, rendered(text)


def agent_listing() -> tuple[Record, Record]:
    lines = [f"- {name}: {about}" for name, about in AGENTS.items()]
    delta = {
        "type": "agent_listing_delta",
        "addedTypes": list(AGENTS),
        "addedLines": lines,
        "builtInTypes": list(AGENTS),
    }
    more = {"builtInPluginTypes": [], "removedTypes": [], "isInitial": True, "showConcurrencyNote": True}
    return delta | more, rendered("Available agent types for the Agent tool:\n" + "\n".join(lines))


def skill_listing() -> tuple[Record, Record]:
    content = "\n".join(f"- {name}: {about}" for name, about in SKILLS.items())
    listing = {"type": "skill_listing", "content": content, "skillCount": len(SKILLS), "isInitial": True}
    text = "These skills can be used with the Skill tool:\n\n" + content
    return listing | {"names": list(SKILLS)}, rendered(text)


def instructions(text: str) -> tuple[Record, Record]:
    path = f"{HOME}/CLAUDE.md"
    output = f"Codebase and user instructions are shown below.\n\nContents of {path} (project instructions):\n\n{text}"
    files = [{"path": path, "type": "Project", "content": text}]
    return {"type": "instructions", "files": files}, rendered(output, role="user")


def session_context(status: str) -> tuple[Record, Record]:
    text = f"As you answer, you can use the following context:\n# gitStatus\n{status}"
    return {"type": "session_context", "context": {"gitStatus": status}}, rendered(text, role="user")


def date(day: str) -> tuple[Record, Record]:
    return {"type": "date", "date": day}, rendered(f"Today's date is {day}.")


def tokens_left(count: str) -> tuple[Record, Record]:
    text = f"<total_tokens>{count} tokens left</total_tokens>"
    return {"type": "total_tokens_reminder", "text": text}, rendered(text)


def nested_memory(path: str, text: str) -> tuple[Record, Record]:
    full = f"{HOME}/{path}"
    content = {"path": full, "type": "Project", "content": text, "contentDiffersFromDisk": False}
    return {"type": "nested_memory", "path": full, "content": content, "displayPath": path}, rendered(
        f"Contents of {full}:\n\n{text}", role="user"
    )


def hook_success(hook: str, event: str, tool_use: str, command: str, out: str, ms: int) -> tuple[Record, Record]:
    record: Record = {
        "type": "hook_success",
        "hookName": hook,
        "toolUseID": tool_use,
        "hookEvent": event,
        "content": out,
    }
    record |= {"stdout": f"{out}\n" if out else "", "stderr": "", "exitCode": 0, "command": command, "durationMs": ms}
    return record, rendered(f"{hook} hook success: {out}") if out else {}


def hook_blocking(hook: str, event: str, tool_use: str, command: str, why: str) -> tuple[Record, Record]:
    error = {"blockingError": why, "command": command}
    record = {"type": "hook_blocking_error", "hookName": hook, "hookEvent": event, "toolUseID": tool_use}
    return record | {"blockingError": error}, rendered(f"{hook} hook blocking error from command: {command}: {why}")
