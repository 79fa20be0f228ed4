"""Snip for agents of ours: the model takes rounds that no longer matter out of what it is sent.

A round is an answer that calls tools, with their results. The conversation itself keeps everything: rounds are left out
of the copy that is sent, and each is named there by an id that stands behind its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from inspector.agents.cancel import CancelToken
from inspector.agents.model import Json
from inspector.agents.tools.tool import FailedError, ToolResult, text_of
from sessions.transcripts.engine.messages import THINKING_TYPES

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH = 6
NUDGE_EVERY = 10_000
"""Tokens of growth until the model is reminded."""
_NUDGE = (
    "<system-reminder>\nThe conversation has grown by about {growth:,} tokens since anything was taken out of it. If "
    "rounds no longer matter for the work, such as a search that led nowhere, name their [id:...] to Snip. Otherwise "
    "carry on, and do not mention this note.\n</system-reminder>"
)


@dataclass(frozen=True, slots=True)
class Snipped:
    """What one call has taken out."""

    ids: tuple[str, ...]
    reason: str


class Snip:
    """The tool, and what it has taken out of one conversation so far."""

    name = "Snip"

    def __init__(self, nudge_every: int = NUDGE_EVERY) -> None:
        self.snipped: list[Snipped] = []
        self._nudge_every = nudge_every
        self._removed: set[str] = set()
        self._rounds: dict[str, int] = {}
        """The id of each round that can go, and where its answer stands."""
        self._thinks = False
        self._baseline: int | None = None

    @property
    def definition(self) -> Json:
        return {
            "name": self.name,
            "description": (
                "Takes rounds that no longer matter out of this conversation: answers that called tools, with their "
                "results. Each is named by the [id:...] behind its results. What you still need is gone afterwards, so "
                "note it first."
            ),
            "input_schema": {
                "type": "object",
                "properties": {
                    "ids": {"type": "array", "items": {"type": "string"}, "description": "Ids of the rounds that go"},
                    "reason": {"type": "string", "description": "Why they no longer matter"},
                },
                "required": ["ids", "reason"],
            },
        }

    def run(self, arguments: Json, cancel: CancelToken) -> ToolResult:
        ids, reason = arguments.get("ids"), " ".join(text_of(arguments, "reason").split())
        if not isinstance(ids, list) or not ids or not all(isinstance(name, str) for name in ids):
            raise FailedError("`ids` must be a list of ids.")
        if not reason:
            raise FailedError("`reason` must say why they no longer matter.")
        if self._thinks:
            raise FailedError("Nothing can go: what was thought later is bound to it.")
        names = [name.removeprefix("[id:").removesuffix("]") for name in ids]
        unknown = [name for name in names if name not in self._rounds]
        if unknown:
            raise FailedError(f"No round has the id {', '.join(unknown)}.")
        self._removed.update(names)
        self.snipped.append(Snipped(tuple(names), reason))
        self._baseline = None
        return ToolResult(f"{len(names)} rounds are left out from now on.")

    def view(self, messages: Sequence[Json]) -> list[Json]:
        """The copy that is sent: without what was taken out, and with ids behind the results of what can be."""
        self._rounds, gone = {}, set()
        self._thinks = any(block.get("type") in THINKING_TYPES for message in messages for block in _blocks(message))
        tagged = list(messages)
        for index, message in enumerate(messages[1:], 1):
            results = [block for block in _blocks(message) if block.get("type") == "tool_result"]
            if not results:
                continue
            name = short_id(str(results[0].get("tool_use_id")))
            if name in self._removed:
                gone |= {index - 1, index}
            else:
                self._rounds[name] = index - 1
                tagged[index] = {**message, "content": [*_blocks(message), {"type": "text", "text": f"[id:{name}]"}]}
        return [message for index, message in enumerate(tagged) if index not in gone]

    def nudge(self, prompt_tokens: int) -> Json | None:
        """A reminder when the prompt has grown by so much; it becomes part of the conversation."""
        baseline = prompt_tokens if self._baseline is None else min(self._baseline, prompt_tokens)
        growth = prompt_tokens - baseline
        self._baseline = baseline if growth < self._nudge_every else prompt_tokens
        return {"type": "text", "text": _NUDGE.format(growth=growth)} if growth >= self._nudge_every else None


def short_id(name: str) -> str:
    """As turns of a session are named: six characters in base 36."""
    number = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=5).digest(), "big")
    written = ""
    while number:
        number, digit = divmod(number, 36)
        written = _DIGITS[digit] + written
    return written[:_LENGTH] or "0"


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
