"""Whether Lucid's own forks really read their parent's prompt cache, by the same rules as everybody's requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from msgspec.structs import replace

from compaction.cache.engine.calls import Call, Drop, fell
from compaction.cache.engine.evidence import Evidence
from compaction.cache.engine.explaining import explain
from compaction.cache.engine.prompt import prompt_of
from compaction.cache.engine.sides import text_at
from compaction.cache.engine.verdict import Break
from sessions.capture.engine import Sent
from sessions.capture.selectors.captures import sent_of, usage_of
from sessions.context.engine import Context
from sessions.context.engine.captured_request import captured_elements, captured_setup
from sessions.context.engine.rendering.overlays import Overlays
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Capture, Request, Transcript
from sessions.transcripts.engine.keys import key_of
from sessions.usage.engine.usage import Usage

SOURCE = "fork"


class Sharing(StrEnum):
    SHARED = "shared"
    LOST = "not shared"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fork:
    capture: Capture
    parent: Request | None
    """The request that it goes on from; None if that is not in the archive."""

    @property
    def expected(self) -> int | None:
        """What the parent's request left in the cache."""
        if self.parent is None:
            return None
        return self.parent.cache_read + self.parent.cache_write_5m + self.parent.cache_write_1h

    @property
    def sharing(self) -> Sharing:
        if self.expected is None or self.capture.cache_read is None:
            return Sharing.UNKNOWN
        return Sharing.LOST if fell(self.expected, self.capture.cache_read) else Sharing.SHARED

    @property
    def missed(self) -> int:
        return max(0, (self.expected or 0) - (self.capture.cache_read or 0))


@dataclass(frozen=True, slots=True)
class Explained:
    fork: Fork
    verdict: Break | None
    """None if there is nothing to explain, or nothing to compare with."""
    old: str = ""
    new: str = ""
    """The two texts where the requests part; empty if they do not."""


def forks_of(captures: Sequence[Capture]) -> list[Fork]:
    """One query, however many there are."""
    keys = {key_of(one.parent_message) for one in captures if one.parent_message}
    known = Request.objects.filter(message_key__in=keys).order_by("owned").select_related("transcript")
    parents = {one.message_id: one for one in known.defer("transcript__state", "transcript__meta")}
    return [Fork(one, parents.get(one.parent_message)) for one in captures]


def fork_explained(fork: Fork) -> Explained:
    """Decodes both requests, so it is asked for one fork at a time."""
    parent = fork.parent
    if parent is None or fork.sharing is not Sharing.LOST:
        return Explained(fork, None)
    before = _parent_call(parent)
    expected = replace(before, usage=Usage(0, before.cached, 0, 0, 0))
    drop = Drop(expected, _call(fork.capture))
    transcript = Transcript.objects.select_related("source").get(pk=parent.transcript_id)
    previous = load_context(transcript, ContextPoint(parent.position, None, parent.message_id))
    current = _context(fork.capture, sent_of(fork.capture), parent.position + 1, previous)
    verdict = explain(drop, Evidence(previous, current), [before])
    if verdict.place is None:
        return Explained(fork, verdict)
    sides = (
        text_at(prompt_of(context), side.path or verdict.place.path)
        for context, side in ((previous, verdict.place.old), (current, verdict.place.new))
    )
    old, new = (text or "" for text in sides)
    return Explained(fork, verdict, old, new)


def _parent_call(one: Request) -> Call:
    usage = Usage(one.input, one.cache_read, one.cache_write_5m, one.cache_write_1h, one.output)
    return Call(one.message_id, SOURCE, one.model, one.position, one.at, usage)


def _call(capture: Capture) -> Call:
    usage = usage_of(capture) or Usage(0, 0, 0, 0, 0)
    return Call(capture.message_id, SOURCE, capture.model, 0, capture.at, usage)


def _context(capture: Capture, sent: Sent, position: int, parent: Context) -> Context:
    """A request that stands in no transcript."""
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
