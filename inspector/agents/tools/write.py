"""Write: creates or replaces a whole file."""

from __future__ import annotations

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.access import Writable
from inspector.agents.tools.atomic import write_atomically
from inspector.agents.tools.tool import DeniedError, FailedError, ToolResult, schema, text_of


class Write:
    name = "Write"
    definition = schema(
        "Write",
        "Writes a file, in place of what it held. Directories on the way to it are made.",
        ["file_path", "content"],
        file_path=("string", "The file, as a whole path or relative to the directory that may be changed."),
        content=("string", "Everything that the file shall hold."),
    )

    def __init__(self, writable: Writable) -> None:
        self._writable = writable

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        name, content = text_of(arguments, "file_path"), text_of(arguments, "content")
        path = self._writable.resolve(name)
        cancel.check()
        if path.is_dir():
            raise FailedError(f"{name} is a directory.")
        if path.exists() and not path.is_file():
            raise DeniedError(f"{name} is no regular file.")
        existed = path.exists()
        if not existed and not str(path.relative_to(self._writable.root)).isprintable():
            raise DeniedError("The name holds line breaks, or characters that nobody sees or that turn text around.")
        # The path is resolved: its parents are in the directory, and none is a link.
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content, self._writable.largest)
        return ToolResult(f"{name} was {'rewritten' if existed else 'made'}.", (str(path),))
