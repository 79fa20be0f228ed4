"""One sketch a tool: the line that sums up a call, and how its input and result are shown."""

from __future__ import annotations

from sessions.timeline.engine.cards.lens import Lens
from sessions.timeline.engine.cards.tools import (
    files,
    lists,
    people,
    search,
    shell,
)
from sessions.timeline.engine.cards.tools.call import Call, Sketch, Sketcher
from sessions.timeline.engine.cards.tools.other import other

_SKETCHERS: dict[str, Sketcher] = {
    "Bash": shell.command,
    "PowerShell": shell.command,
    "Monitor": shell.command,
    "BashOutput": shell.watch,
    "TaskOutput": shell.watch,
    "AgentOutputTool": shell.watch,
    "KillBash": shell.watch,
    "KillShell": shell.watch,
    "TaskStop": shell.watch,
    "Read": files.read,
    "NotebookRead": files.read,
    "Edit": files.change,
    "MultiEdit": files.change,
    "Write": files.change,
    "NotebookEdit": files.change,
    "Grep": search.grep,
    "Glob": search.grep,
    "LS": files.read,
    "ToolSearch": search.tools,
    "WebFetch": search.fetch,
    "WebSearch": search.web,
    "TodoWrite": lists.todos,
    "TodoRead": lists.overview,
    "TaskCreate": lists.create,
    "TaskUpdate": lists.update,
    "TaskList": lists.overview,
    "TaskGet": lists.overview,
    "Agent": people.agent,
    "Task": people.agent,
    "SendMessage": people.message,
    "AskUserQuestion": people.questions,
    "ExitPlanMode": people.plan,
    "Skill": people.skill,
    "SlashCommand": people.skill,
}

__all__ = ["Call", "Sketch", "sketch"]


def sketch(call: Call, lens: Lens) -> Sketch:
    return _SKETCHERS.get(call.name, other)(call, lens)
