"""From where a context is looked at, as an address says it: a request, the place after an entry, or the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode

from django.http import Http404

from sessions.context.engine import Context, PointMissingError
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import (
    ContextPoint,
    point_after,
    point_next,
    point_of_request,
)
from sessions.context.selectors.steps import (
    Step,
    Steps,
    find_request,
    load_steps,
    locate_steps,
)
from sessions.models import Entry, Request, Transcript
from sessions.timeline.selectors.entries import find_entry

SHOWN_ID = 80


@dataclass(frozen=True, slots=True)
class Viewpoint:
    transcript: Transcript
    """The one that was asked for, or the sub-agent that the request or the entry belongs to."""
    kind: Literal["request", "after", "next"]
    point: ContextPoint
    steps: Steps
    query: str
    """The same in an address."""
    request: Request | None = None
    entry: Entry | None = None

    @property
    def as_context(self) -> str:
        """In an address of the timeline, which shows what is sent next if nothing is said."""
        if self.kind == "request":
            return urlencode({"context": self.point.request})
        return self.query.replace("at=", "after=", 1) if self.kind == "after" else ""

    def context(self) -> Context:
        return cached_context(self.transcript, self.point)

    def previous_context(self) -> Context | None:
        """What was sent in the request before."""
        step = self.steps.previous
        return cached_context(self.transcript, _point(step)) if step else None


def find_viewpoint(transcript: Transcript, *, request: str = "", after: str = "", at_end: bool = False) -> Viewpoint:
    """Without a wish, the last request; where there is none, what is sent next."""
    if after and not request:
        return _viewpoint_after(transcript, after)
    found = load_steps(transcript)
    if request:
        step = next((one for one in found if one.message_id == request), None)
        return (
            _viewpoint_of_subagent(transcript, request)
            if step is None
            else _viewpoint_of_request(transcript, step, found)
        )
    own = locate_steps(found, transcript, position=transcript.entries)
    if own.steps and not at_end:
        return _viewpoint_of_request(transcript, own.steps[-1], found)
    return Viewpoint(transcript, "next", point_next(transcript), own, "next=1")


def _viewpoint_of_request(transcript: Transcript, step: Step, found: list[Step]) -> Viewpoint:
    steps = locate_steps(found, transcript, request=step)
    query = urlencode({"request": step.message_id})
    return Viewpoint(transcript, "request", _point(step), steps, query, request=find_request(transcript, step))


def _viewpoint_of_subagent(transcript: Transcript, request: str) -> Viewpoint:
    """A request of one of the sub-agents."""
    try:
        owner, _ = point_of_request(transcript, request)
    except PointMissingError as error:
        raise Http404(f"No request of this session was answered by {request[:SHOWN_ID]}.") from error
    return find_viewpoint(owner, request=request)


def _viewpoint_after(transcript: Transcript, address: str) -> Viewpoint:
    owner, entry = find_entry(transcript, address)
    steps = locate_steps(load_steps(owner), owner, position=entry.position + 1)
    return Viewpoint(owner, "after", point_after(entry), steps, urlencode({"at": address}), entry=entry)


def _point(step: Step) -> ContextPoint:
    return ContextPoint(step.position, None, step.message_id, step.capture)
