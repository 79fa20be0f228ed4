"""Edit: replaces a text in a file."""

from __future__ import annotations

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.access import Writable
from inspector.agents.tools.atomic import write_atomically
from inspector.agents.tools.tool import FailedError, ToolResult, schema, switch_of, text_of
from sessions.text.engine.words import plural


class Edit:
    name = "Edit"
    definition = schema(
        "Edit",
        "Replaces a text in a file. The text has to occur exactly once, unless all occurrences are to be replaced.",
        ["file_path", "old_string", "new_string"],
        file_path=("string", "The file, as a whole path or relative to the directory that may be changed."),
        old_string=("string", "The text as it stands in the file."),
        new_string=("string", "The text instead of it."),
        replace_all=("boolean", "Whether to replace every occurrence."),
    )

    def __init__(self, writable: Writable) -> None:
        self._writable = writable

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        name, old, new = (text_of(arguments, key) for key in ("file_path", "old_string", "new_string"))
        path = self._writable.file(name)
        cancel.check()
        if path.stat().st_size > self._writable.largest:
            raise FailedError(f"{name} is too large to be edited.")
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise FailedError(f"{name} is not a text file.") from error
        if not old or old == new:
            raise FailedError("`old_string` and `new_string` must differ, and the old one must not be empty.")
        count = text.count(old)
        if count == 0:
            raise FailedError(f"The text does not occur in {name}.")
        if count > 1 and not switch_of(arguments, "replace_all"):
            raise FailedError(f"The text occurs {count} times in {name}; give more of it, or replace all.")
        write_atomically(path, text.replace(old, new), self._writable.largest)
        return ToolResult(f"{name} was changed in {plural(count, 'place')}.", (str(path),))
