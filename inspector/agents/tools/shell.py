"""Shell: a few read-only commands, alone or in a pipeline. No shell is involved."""

from __future__ import annotations

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.access import Readable
from inspector.agents.tools.allowed import NAMES
from inspector.agents.tools.check_command import check_command
from inspector.agents.tools.command import parse
from inspector.agents.tools.pipeline import Limits, run_pipeline
from inspector.agents.tools.tool import FailedError, ToolResult, schema, text_of


class Shell:
    name = "Shell"
    definition = schema(
        "Shell",
        f"Runs one of the commands {', '.join(sorted(NAMES))}, or several with pipes between them. They can only read. "
        "There are quotes and wild cards, but no redirections, variables, substitutions or lists of commands.",
        ["command"],
        command=("string", "The command line."),
    )

    def __init__(self, readable: Readable, limits: Limits | None = None) -> None:
        self._readable = readable
        self._limits = limits or Limits()

    def argvs(self, command: str) -> list[list[str]]:
        """The commands to run. Raises DeniedError."""
        return [check_command(stage, self._readable) for stage in parse(command)]

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        stages = self.argvs(text_of(arguments, "command"))
        ran = run_pipeline(stages, self._readable.base, self._limits, cancel)
        output = "\n".join(part for part in (ran.output, ran.errors, *ran.notes) if part)
        # Exit code 1 of grep means that nothing matched.
        failed = ran.code > 1 or (ran.code == 1 and stages[-1][0] != "grep")
        if failed and not ran.notes:
            raise FailedError(output or f"It ended with code {ran.code}.")
        return ToolResult(output)
