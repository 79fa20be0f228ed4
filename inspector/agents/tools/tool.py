"""A tool of an agent, and the toolbox that runs an agent's calls: every call gets a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json


class DeniedError(Exception):
    """The call asks for something that is not allowed. The text tells the model and people what."""


class FailedError(Exception):
    """The call is allowed but fails: the file does not exist, the text does not occur."""


@dataclass(frozen=True, slots=True)
class Denial:
    tool: str
    input: Json
    reason: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`touched` are the files that were changed."""

    text: str
    touched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    text: str
    is_error: bool = False
    denial: Denial | None = None
    touched: tuple[str, ...] = ()

    def result(self, tool_use_id: str) -> Json:
        block: Json = {"type": "tool_result", "tool_use_id": tool_use_id, "content": self.text or "(nothing)"}
        return {**block, "is_error": True} if self.is_error else block


class Tool(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def definition(self) -> Json:
        """In the format of the API: name, description, input_schema."""

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        """Raises DeniedError, FailedError or CancelledError."""


class Toolbox:
    """The tools that may be called. A fork also offers its parent's tools; those that are not in here are denied."""

    def __init__(self, tools: Sequence[Tool] = (), *, aliases: Mapping[str, str] | None = None) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._aliases = {"Bash": "Shell"} if aliases is None else dict(aliases)

    @property
    def definitions(self) -> tuple[Json, ...]:
        return tuple(tool.definition for tool in self._tools.values())

    def call(self, name: str, arguments: Any, cancel: CancelToken) -> Outcome:
        tool = self._tools.get(name) or self._tools.get(self._aliases.get(name, ""))
        denied: Json = arguments if isinstance(arguments, dict) else {"input": arguments}
        try:
            if tool is None:
                raise DeniedError(f"The tool {name} is not available here.")
            if not isinstance(arguments, dict):
                raise FailedError("The input of a tool is an object.")
            result = tool.run(arguments, cancel)
        except DeniedError as error:
            return Outcome(f"Not allowed: {error}", is_error=True, denial=Denial(name, denied, str(error)))
        except FailedError as error:
            return Outcome(str(error), is_error=True)
        except OSError as error:
            return Outcome(f"It failed: {error.strerror or type(error).__name__}.", is_error=True)
        return Outcome(result.text, touched=result.touched)


def schema(name: str, description: str, required: Sequence[str], **properties: tuple[str, str]) -> Json:
    """A tool definition, with each parameter given as (type, description)."""
    described = {key: {"type": kind, "description": meaning} for key, (kind, meaning) in properties.items()}
    return {
        "name": name,
        "description": description,
        "input_schema": {"type": "object", "properties": described, "required": list(required)},
    }


def text_of(arguments: Json, key: str, default: str | None = None) -> str:
    value = arguments.get(key, default)
    if not isinstance(value, str):
        raise FailedError(f"`{key}` must be a text.")
    if not _is_whole(value):
        raise FailedError(f"`{key}` has half a character in it.")
    return value


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def number_of(arguments: Json, key: str, default: int, least: int = 1) -> int:
    value = arguments.get(key, default)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise FailedError(f"`{key}` must be a whole number from {least}.")
    return value


def switch_of(arguments: Json, key: str) -> bool:
    value = arguments.get(key, False)
    if not isinstance(value, bool):
        raise FailedError(f"`{key}` must be true or false.")
    return value
