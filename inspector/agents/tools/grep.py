"""Grep: files or lines that match a pattern. The program of that name does the search."""

from __future__ import annotations

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.access import Readable
from inspector.agents.tools.pipeline import Limits, run_pipeline
from inspector.agents.tools.tool import FailedError, ToolResult, number_of, schema, switch_of, text_of

MATCHES = 200
_MODES = {"files_with_matches": "-l", "content": "-n", "count": "-c"}


class Grep:
    name = "Grep"
    definition = schema(
        "Grep",
        "Searches files below a directory for an extended regular expression.",
        ["pattern"],
        pattern=("string", "The expression."),
        path=("string", "A file or directory; the first directory if not given."),
        glob=("string", "Only files with names like this, such as *.md."),
        output_mode=("string", "files_with_matches (if not given), content or count."),
        ignore_case=("boolean", "Whether case does not matter."),
        head_limit=("integer", f"How many lines of output at most; {MATCHES} if not given."),
    )

    def __init__(self, readable: Readable, limits: Limits | None = None) -> None:
        self._readable = readable
        self._limits = limits or Limits()

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        pattern, mode = text_of(arguments, "pattern"), text_of(arguments, "output_mode", "files_with_matches")
        most = number_of(arguments, "head_limit", MATCHES, 0) or MATCHES
        if mode not in _MODES:
            raise FailedError(f"`output_mode` must be one of {', '.join(_MODES)}.")
        if "\0" in pattern:
            raise FailedError("The pattern has a NUL in it.")
        path = self._readable.resolve(text_of(arguments, "path", str(self._readable.base)))
        command = ["grep", "-r", "-I", "-E", _MODES[mode]]
        if switch_of(arguments, "ignore_case") or arguments.get("-i") is True:
            command.append("-i")
        if only := text_of(arguments, "glob", "").replace("\0", ""):
            command.append(f"--include={only.removeprefix('**/')}")
        ran = run_pipeline([[*command, "-e", pattern, "--", str(path)]], self._readable.base, self._limits, cancel)
        if ran.code > 1 and not ran.output:
            raise FailedError(ran.errors or "The search failed.")
        lines = ran.output.splitlines()
        if mode == "count":
            lines = [line for line in lines if not line.endswith(":0")]
        cut = [f"({len(lines) - most:,} more lines)"] if len(lines) > most else []
        return ToolResult("\n".join([*lines[:most], *cut, *ran.notes]) or "(no matches)")
