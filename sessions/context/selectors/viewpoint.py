"""The viewpoint of a context that an address names: a request, the place after an entry, or the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode

from django.http import Http404

from sessions.context.engine import Context, PointMissingError
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import ContextPoint, point_after, point_next, point_of_request
from sessions.context.selectors.steps import Step, Steps, find_request, load_steps, locate_steps
from sessions.models import Entry, Request, Transcript
from sessions.timeline.selectors.entries import find_entry
from sessions.weights.engine import ContextWeights
from sessions.weights.selectors import prompt_tokens, request_table, weigh, weight_table

SHOWN_ID = 80


@dataclass(frozen=True, slots=True)
class Viewpoint:
    transcript: Transcript
    """The requested transcript, or the sub-agent that the request or the entry belongs to."""
    kind: Literal["request", "after", "next"]
    point: ContextPoint
    steps: Steps
    query: str
    """The query string that names this viewpoint."""
    request: Request | None = None
    entry: Entry | None = None

    @property
    def as_context(self) -> str:
        """The query string for the timeline, which shows by default what is sent next."""
        if self.kind == "request":
            return urlencode({"context": self.point.request})
        return self.query.replace("at=", "after=", 1) if self.kind == "after" else ""

    @property
    def name(self) -> str:
        """What its prompt is called wherever its size is shown."""
        return self.point.name(self.transcript)

    @property
    def previous_name(self) -> str:
        """The same of the prompt of the previous request."""
        step = self.steps.previous
        return step.point.name(self.transcript) if step else ""

    def context(self) -> Context:
        return cached_context(self.transcript, self.point)

    def weights(self, context: Context) -> ContextWeights:
        """What the parts of its context weigh."""
        if self.request is None:
            return weigh(context, weight_table(self.transcript))
        return weigh(context, request_table(self.request), prompt_tokens(self.request))

    def previous_weights(self, previous: Context) -> ContextWeights:
        step = self.steps.previous
        table = weight_table(self.transcript) if self.request is None else request_table(self.request)
        return weigh(previous, table, step.prompt if step else None)

    def previous_context(self) -> Context | None:
        """The context of the previous request."""
        step = self.steps.previous
        return cached_context(self.transcript, step.point) if step else None


def find_viewpoint(transcript: Transcript, *, request: str = "", after: str = "", at_end: bool = False) -> Viewpoint:
    """The viewpoint that is named; else the last request, or what is sent next if there is none."""
    if after and not request:
        return _viewpoint_after(transcript, after)
    steps = load_steps(transcript)
    if request:
        step = next((candidate for candidate in steps if candidate.message_id == request), None)
        if step is None:
            return _viewpoint_of_subagent(transcript, request)
        return _viewpoint_of_request(transcript, step, steps)
    own = locate_steps(steps, transcript, position=transcript.entries)
    if own.steps and not at_end:
        return _viewpoint_of_request(transcript, own.steps[-1], steps)
    return Viewpoint(transcript, "next", point_next(transcript), own, "next=1")


def _viewpoint_of_request(transcript: Transcript, step: Step, steps: list[Step]) -> Viewpoint:
    located = locate_steps(steps, transcript, request=step)
    query = urlencode({"request": step.message_id})
    return Viewpoint(transcript, "request", step.point, located, query, request=find_request(transcript, step))


def _viewpoint_of_subagent(transcript: Transcript, request: str) -> Viewpoint:
    """The viewpoint of a request of one of the sub-agents."""
    try:
        owner, _ = point_of_request(transcript, request)
    except PointMissingError as error:
        raise Http404(f"No request of this session was answered by {request[:SHOWN_ID]}.") from error
    return find_viewpoint(owner, request=request)


def _viewpoint_after(transcript: Transcript, address: str) -> Viewpoint:
    owner, entry = find_entry(transcript, address)
    steps = locate_steps(load_steps(owner), owner, position=entry.position + 1)
    return Viewpoint(owner, "after", point_after(entry), steps, urlencode({"at": address}), entry=entry)
