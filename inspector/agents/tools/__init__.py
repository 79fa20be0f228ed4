"""The tools of Lucid's agents: reading below some directories, and writing below one."""

from __future__ import annotations

from inspector.agents.tools.access import Readable, Writable
from inspector.agents.tools.edit import Edit
from inspector.agents.tools.glob import Glob
from inspector.agents.tools.grep import Grep
from inspector.agents.tools.pipeline import Limits
from inspector.agents.tools.read import Read
from inspector.agents.tools.shell import Shell
from inspector.agents.tools.tool import Denial, Outcome, Tool, Toolbox
from inspector.agents.tools.write import Write

__all__ = [
    "Denial",
    "Edit",
    "Glob",
    "Grep",
    "Limits",
    "Outcome",
    "Read",
    "Readable",
    "Shell",
    "Tool",
    "Toolbox",
    "Writable",
    "Write",
    "reading_tools",
    "writing_tools",
]


def reading_tools(readable: Readable, limits: Limits | None = None) -> tuple[Tool, ...]:
    return Read(readable), Grep(readable, limits), Glob(readable, limits), Shell(readable, limits)


def writing_tools(writable: Writable) -> tuple[Tool, ...]:
    return Edit(writable), Write(writable)
