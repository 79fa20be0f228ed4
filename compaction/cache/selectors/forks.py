"""Whether Lucid's own forks really read the prompt cache of their parent, by the same rules as all requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from msgspec.structs import replace

from compaction.cache.engine.causes.breaks import Break
from compaction.cache.engine.causes.evidence import Evidence
from compaction.cache.engine.causes.explanation import explain
from compaction.cache.engine.differences.divergent_text import find_text
from compaction.cache.engine.requests.calls import Call, Drop, has_dropped
from compaction.cache.engine.requests.prompt import prompt_of
from sessions.capture.engine import SentRequest
from sessions.capture.selectors.captures import capture_usage, load_sent
from sessions.context.engine import Context
from sessions.context.engine.captured_request import captured_elements, captured_setup
from sessions.context.engine.rendering.overlays import Overlays
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Capture, Request, Transcript
from sessions.transcripts.engine.keys import key_of
from sessions.usage.engine.usage import Usage

SOURCE = "fork"


class CacheSharing(StrEnum):
    SHARED = "shared"
    LOST = "not shared"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fork:
    capture: Capture
    parent: Request | None
    """The request that it continues; None if that is not in the archive."""

    @property
    def expected(self) -> int | None:
        """What the parent's request left in the cache."""
        if self.parent is None:
            return None
        return self.parent.cache_read + self.parent.cache_write_5m + self.parent.cache_write_1h

    @property
    def sharing(self) -> CacheSharing:
        if self.expected is None or self.capture.cache_read is None:
            return CacheSharing.UNKNOWN
        return CacheSharing.LOST if has_dropped(self.expected, self.capture.cache_read) else CacheSharing.SHARED

    @property
    def missed(self) -> int:
        return max(0, (self.expected or 0) - (self.capture.cache_read or 0))


@dataclass(frozen=True, slots=True)
class ForkExplanation:
    fork: Fork
    verdict: Break | None
    """None if there is nothing to explain or to compare with."""
    old: str = ""
    new: str = ""
    """The two texts where the requests diverge; empty if they do not."""


def forks_of(captures: Sequence[Capture]) -> list[Fork]:
    """Takes one query."""
    keys = {key_of(capture.parent_message) for capture in captures if capture.parent_message}
    requests = Request.objects.filter(message_key__in=keys).order_by("owned").select_related("transcript")
    parents = {request.message_id: request for request in requests.defer("transcript__state", "transcript__meta")}
    return [Fork(capture, parents.get(capture.parent_message)) for capture in captures]


def explain_fork(fork: Fork) -> ForkExplanation:
    """Decodes both requests, so call it for one fork at a time."""
    parent = fork.parent
    if parent is None or fork.sharing is not CacheSharing.LOST:
        return ForkExplanation(fork, None)
    parent_call = _parent_call(parent)
    expected = replace(parent_call, usage=Usage(0, parent_call.cached, 0, 0, 0))
    drop = Drop(expected, _call(fork.capture))
    transcript = Transcript.objects.select_related("source").get(pk=parent.transcript_id)
    previous = load_context(transcript, ContextPoint(parent.position, None, parent.message_id))
    current = _context(fork.capture, load_sent(fork.capture), parent.position + 1, previous)
    verdict = explain(drop, Evidence(previous, current), [parent_call])
    if verdict.divergence is None:
        return ForkExplanation(fork, verdict)
    sides = (
        find_text(prompt_of(context), side.path or verdict.divergence.path)
        for context, side in ((previous, verdict.divergence.old), (current, verdict.divergence.new))
    )
    old, new = (text or "" for text in sides)
    return ForkExplanation(fork, verdict, old, new)


def _parent_call(request: Request) -> Call:
    usage = Usage(request.input, request.cache_read, request.cache_write_5m, request.cache_write_1h, request.output)
    return Call(request.message_id, SOURCE, request.model, request.position, request.at, usage)


def _call(capture: Capture) -> Call:
    usage = capture_usage(capture) or Usage(0, 0, 0, 0, 0)
    return Call(capture.message_id, SOURCE, capture.model, 0, capture.at, usage)


def _context(capture: Capture, sent: SentRequest, position: int, parent: Context) -> Context:
    """The context of a request that is in no transcript."""
    return Context(
        capture.message_id,
        position,
        capture.model,
        (),
        None,
        captured_elements(sent, parent.elements),
        captured_setup(sent),
        Overlays(),
        captured=sent,
    )
