"""Describes a call of each known tool: its summary line, and how its input and result are shown."""

from __future__ import annotations

from sessions.timeline.engine.cards.lens import Lens
from sessions.timeline.engine.cards.tools import files, lists, people, search, shell
from sessions.timeline.engine.cards.tools.call import Call, CallDescription, Describer
from sessions.timeline.engine.cards.tools.other import describe_other

_DESCRIBERS: dict[str, Describer] = {
    "Bash": shell.describe_command,
    "PowerShell": shell.describe_command,
    "Monitor": shell.describe_command,
    "BashOutput": shell.describe_background,
    "TaskOutput": shell.describe_background,
    "AgentOutputTool": shell.describe_background,
    "KillBash": shell.describe_background,
    "KillShell": shell.describe_background,
    "TaskStop": shell.describe_background,
    "Read": files.describe_read,
    "NotebookRead": files.describe_read,
    "Edit": files.describe_change,
    "MultiEdit": files.describe_change,
    "Write": files.describe_change,
    "NotebookEdit": files.describe_change,
    "Grep": search.describe_grep,
    "Glob": search.describe_grep,
    "LS": files.describe_read,
    "ToolSearch": search.describe_tool_search,
    "WebFetch": search.describe_fetch,
    "WebSearch": search.describe_web_search,
    "TodoWrite": lists.describe_todos,
    "TodoRead": lists.describe_overview,
    "TaskCreate": lists.describe_create,
    "TaskUpdate": lists.describe_update,
    "TaskList": lists.describe_overview,
    "TaskGet": lists.describe_overview,
    "Agent": people.describe_agent,
    "Task": people.describe_agent,
    "SendMessage": people.describe_message,
    "AskUserQuestion": people.describe_questions,
    "ExitPlanMode": people.describe_plan,
    "Skill": people.describe_skill,
    "SlashCommand": people.describe_skill,
}

__all__ = ["Call", "CallDescription", "describe_call"]


def describe_call(call: Call, lens: Lens) -> CallDescription:
    return _DESCRIBERS.get(call.name, describe_other)(call, lens)
