"""The evidence for the cause of a drop: the two requests, their answers and the records between them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as another
from typing import Any

from msgspec.structs import replace

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.requests.calls import Drop
from compaction.cache.engine.requests.client_state import UNKNOWN_STATE, ClientState
from sessions.context.engine import Context
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.usage import Usage

_CAUSES: dict[str, frozenset[str]] = {
    "model_changed": frozenset({CauseName.MODEL, CauseName.SPEED}),
    "system_changed": frozenset({CauseName.SYSTEM}),
    "tools_changed": frozenset({CauseName.TOOLS}),
    "messages_changed": frozenset(
        {
            CauseName.MESSAGES,
            CauseName.COMPACTION,
            CauseName.DELETION,
            CauseName.REWIND,
            CauseName.EFFORT,
            CauseName.THINKING,
            CauseName.TOOL_CHOICE,
        }
    ),
}
_MAIN_CAUSE = {
    "model_changed": CauseName.MODEL,
    "system_changed": CauseName.SYSTEM,
    "tools_changed": CauseName.TOOLS,
    "messages_changed": CauseName.MESSAGES,
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why the API itself says that a prefix could not be reused."""

    reason: str
    missed_tokens: int | None = None
    """About how many tokens could have been read."""
    position: int | None = None
    """The record that holds it."""

    @classmethod
    def of(cls, diagnostics: object, position: int | None = None) -> Diagnosis | None:
        """Reads `message.diagnostics`; None while the API has no result yet."""
        miss_reason = mapping(mapping(diagnostics).get("cache_miss_reason"))
        reason = text(miss_reason.get("type"))
        missed_tokens = miss_reason.get("cache_missed_input_tokens")
        return cls(reason, missed_tokens if isinstance(missed_tokens, int) else None, position) if reason else None

    @property
    def cause_name(self) -> CauseName | None:
        """Our name for it; None if it names no cause."""
        return _MAIN_CAUSE.get(self.reason)

    def agrees_with(self, causes: Collection[str]) -> bool | None:
        """None if either side does not know."""
        our_names = _CAUSES.get(self.reason)
        if our_names is None or not causes or CauseName.UNKNOWN in causes:
            return None
        return not our_names.isdisjoint(causes)

    def to_json(self) -> dict[str, Any]:
        return {"reason": self.reason, "missed_tokens": self.missed_tokens, "position": self.position}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the records of an answer say about its request."""

    effort: str = ""
    speed: str = ""
    version: str = ""
    cleared_tokens: int = 0
    """Tokens that the API cleared before the model saw the prompt, by this request's edits and by those repeated."""
    deleted_tokens: int = 0
    """Tokens that are deleted from the cache, as the API counts them: from the beginning on."""
    diagnosis: Diagnosis | None = None
    passes: tuple[Usage, ...] = ()
    """The usage of each pass, if the API read the prompt more than once for this answer: its usage is their sum."""

    def with_record(self, record: Mapping[str, Any], position: int) -> Answer:
        """An answer takes several records, and some of its fields come only with the last."""
        message = mapping(record.get("message"))
        usage = mapping(message.get("usage"))
        edits = mapping(message.get("context_management")).get("applied_edits")
        cleared_tokens = (
            sum(_positive_count(mapping(edit).get("cleared_input_tokens")) for edit in edits)
            if isinstance(edits, list)
            else 0
        )
        return Answer(
            text(record.get("perTurnEffort")) or text(record.get("effort")) or self.effort,
            text(usage.get("speed")) or self.speed,
            text(record.get("version")) or self.version,
            max(cleared_tokens, self.cleared_tokens),
            max(_positive_count(usage.get("cache_deleted_input_tokens")), self.deleted_tokens),
            Diagnosis.of(message.get("diagnostics"), position) or self.diagnosis,
            _passes(usage.get("iterations")) or self.passes,
        )


@dataclass(frozen=True, slots=True)
class CacheEvent:
    """A record between the two requests that may have affected the cache."""

    kind: str
    position: int


_EDITING = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
CLEARING_KINDS = frozenset({"microcompact_boundary"})
COLLAPSE_KINDS = frozenset({"marble-origami-commit", "marble-origami-reset"})
HINT_SENTENCES = {
    "deferred_tools_delta": "the client announced tools that came or went",
    "mcp_instructions_delta": "an MCP server came or went",
    "agent_listing_delta": "the list of agents changed",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    previous: Context
    current: Context
    previous_answer: Answer = Answer()
    answer: Answer = Answer()
    events: tuple[CacheEvent, ...] = ()
    reachable_tokens: int | None = None
    """If the session went back: what the latest request that the shorter conversation continues had in the cache."""
    returned_to: Context | None = None
    """An earlier request that left exactly as many tokens in the cache as were read now."""
    previous_state: ClientState = UNKNOWN_STATE
    state: ClientState = UNKNOWN_STATE

    @property
    def newly_cleared(self) -> int:
        """Tokens that the API cleared now: those of the request before it are what the count begins with."""
        return max(0, self.answer.cleared_tokens - self.previous_answer.cleared_tokens)

    @property
    def newly_deleted(self) -> int:
        return max(0, self.answer.deleted_tokens - self.previous_answer.deleted_tokens)

    def positions_of(self, kinds: frozenset[str]) -> tuple[int, ...]:
        return tuple(event.position for event in self.events if event.kind in kinds)


def has_edited_files(context: Context) -> bool:
    """Did the model edit files?"""
    return any(name in _EDITING for name in _called_tools(context))


def has_used_servers(context: Context) -> bool:
    """Did the model use tools of MCP servers?"""
    return any(name.startswith("mcp__") for name in _called_tools(context))


def _called_tools(context: Context) -> Iterator[str]:
    for message in context.messages:
        yield from (text(block.get("name")) for block in message.content if block.get("type") == "tool_use")


def align_forms(previous: Context, current: Context) -> tuple[Context, Context]:
    """Both requests as they were sent, or else both as made from the transcript. What the client adds around the text
    differs between the two forms and would look like a change. A request that is in no transcript has only one form."""
    if previous.exactness is current.exactness or not previous.parts or not current.parts:
        return previous, current
    return another(previous, recorded=None), another(current, recorded=None)


def measure_single_pass(drop: Drop, previous_answer: Answer, answer: Answer) -> Drop:
    """The same drop by what one pass over the prompt read: the last pass of the earlier answer and the first of the
    later one."""
    previous, call = drop.previous, drop.call
    if len(previous_answer.passes) > 1:
        previous = replace(previous, usage=previous_answer.passes[-1])
    if len(answer.passes) > 1:
        call = replace(call, usage=answer.passes[0])
    return Drop(previous, call)


def _passes(iterations: object) -> tuple[Usage, ...]:
    """The passes that the model itself answered; an adviser has a prompt of its own."""
    if not isinstance(iterations, list):
        return ()
    own_passes = [mapping(entry) for entry in iterations if mapping(entry).get("type") == "message"]
    return tuple(usage for entry in own_passes if (usage := Usage.from_raw(dict(entry))) is not None)


def _positive_count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
