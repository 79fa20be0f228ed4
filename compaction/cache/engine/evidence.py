"""What is known about a drop before it is explained: the two requests, and what stands between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as another
from typing import Any

from msgspec.structs import replace

from compaction.cache.engine.calls import Drop
from compaction.cache.engine.diagnosis import Diagnosis
from sessions.context.engine import Context
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.usage import Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """What the records of an answer tell about its request."""

    effort: str = ""
    speed: str = ""
    version: str = ""
    cleared: int = 0
    """Tokens that the API cleared before the model saw the prompt."""
    diagnosis: Diagnosis | None = None
    passes: tuple[Usage, ...] = ()
    """What each pass counted, if the API went over the prompt more than once for this answer: its usage is the sum."""

    def with_record(self, record: Mapping[str, Any], position: int) -> Answer:
        """An answer stands in several records; some of what they say comes with the last."""
        message = mapping(record.get("message"))
        usage = mapping(message.get("usage"))
        edits = mapping(message.get("context_management")).get("applied_edits")
        cleared = (
            sum(_count(mapping(one).get("cleared_input_tokens")) for one in edits) if isinstance(edits, list) else 0
        )
        return Answer(
            text(record.get("perTurnEffort")) or text(record.get("effort")) or self.effort,
            text(usage.get("speed")) or self.speed,
            text(record.get("version")) or self.version,
            max(cleared, self.cleared),
            Diagnosis.of(message.get("diagnostics"), position) or self.diagnosis,
            _passes(usage.get("iterations")) or self.passes,
        )


@dataclass(frozen=True, slots=True)
class Event:
    """A record between the two requests that bears on the cache."""

    kind: str
    position: int


COMPACTED = "compact_boundary"
CLEARED = frozenset({"microcompact_boundary"})
FOLDED = frozenset({"marble-origami-commit", "marble-origami-reset"})
HINTS = {
    "deferred_tools_delta": "the client announced tools that came or went",
    "mcp_instructions_delta": "an MCP server came or went",
    "agent_listing_delta": "the list of agents changed",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    previous: Context
    current: Context
    before: Answer = Answer()
    """Of the previous request."""
    answer: Answer = Answer()
    events: tuple[Event, ...] = ()
    within_reach: int | None = None
    """If the session went back: what the latest request that the shorter conversation goes on from had in the cache."""

    returned_to: Context | None = None
    """A request before the previous one that left in the cache, to the token, what was read now."""

    def of_kind(self, kinds: frozenset[str]) -> tuple[int, ...]:
        return tuple(event.position for event in self.events if event.kind in kinds)


def alike(previous: Context, current: Context) -> tuple[Context, Context]:
    """Both as they were sent, or else both as the transcript makes them: what the client puts around the words is not
    the same in the two forms, and would pass for a change. A request that stands in no transcript has one form."""
    if previous.exactness is current.exactness or not previous.parts or not current.parts:
        return previous, current
    return another(previous, recorded=None), another(current, recorded=None)


def settled(drop: Drop, before: Answer, answer: Answer) -> Drop:
    """The same drop by what one pass over the prompt read: the last of the earlier answer, the first of the later."""
    previous, call = drop.previous, drop.call
    if len(before.passes) > 1:
        previous = replace(previous, usage=before.passes[-1])
    if len(answer.passes) > 1:
        call = replace(call, usage=answer.passes[0])
    return Drop(previous, call)


def _passes(iterations: object) -> tuple[Usage, ...]:
    """Those that the model itself answered; an adviser has a prompt of its own."""
    if not isinstance(iterations, list):
        return ()
    own = [mapping(one) for one in iterations if mapping(one).get("type") == "message"]
    return tuple(usage for one in own if (usage := Usage.from_raw(dict(one))) is not None)


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
