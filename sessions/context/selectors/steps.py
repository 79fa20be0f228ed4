"""The requests of one thread in order, and the one that a page shows."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from sessions.context.selectors.contexts import ContextPoint
from sessions.models import Request, Transcript
from sessions.weights.selectors import with_weights


class Step(NamedTuple):
    position: int
    message_id: str
    agent: str
    capture: int | None
    """The newest capture of the request; None if there is none."""
    prompt: int = 0
    """Its tokens, as the API counted them."""

    @property
    def point(self) -> ContextPoint:
        return ContextPoint(self.position, None, self.message_id, self.capture)


@dataclass(frozen=True, slots=True)
class Steps:
    """`index` is that of the current request; without one, that of the next request after the position."""

    steps: tuple[Step, ...]
    index: int
    is_chosen: bool

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def current(self) -> Step | None:
        return self.steps[self.index] if self.is_chosen else None

    @property
    def number(self) -> int:
        """Counted from one, for people."""
        return self.index + 1

    @property
    def first(self) -> Step | None:
        return self.steps[0] if self.index > 0 else None

    @property
    def previous(self) -> Step | None:
        return self.steps[self.index - 1] if self.index > 0 else None

    @property
    def next(self) -> Step | None:
        after = self.index + self.is_chosen
        return self.steps[after] if after < len(self.steps) else None

    @property
    def last(self) -> Step | None:
        return self.steps[-1] if self.index + self.is_chosen < len(self.steps) else None

    def nearest(self, position: int) -> Step:
        """The request whose answer is at the position, or the nearest one."""
        after = bisect_left(self.steps, position, key=lambda step: step.position)
        around = self.steps[max(0, after - 1) : after + 1]
        return min(around, key=lambda step: abs(step.position - position))


def load_steps(transcript: Transcript) -> list[Step]:
    """The requests of the transcript's own thread and of sub-agents in the same file, by position."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, message_id, agent, (SELECT max(captured.id) FROM transcripts_capture AS captured"
            " WHERE captured.message_key = request.message_key AND captured.message_id = request.message_id),"
            " input + cache_read + cache_write_5m + cache_write_1h"
            " FROM transcripts_request AS request WHERE transcript_id = %s",
            [transcript.pk],
        )
        steps = [Step(*row) for row in cursor.fetchall()]
    return sorted(steps, key=lambda step: step.position)


def locate_steps(steps: list[Step], transcript: Transcript, *, request: Step | None = None, position: int = 0) -> Steps:
    """The steps of the request's thread; without a request, of the transcript's own thread."""
    inline = transcript.kind == Transcript.Kind.MAIN
    agent = request.agent if request else ""
    thread = tuple(step for step in steps if step.agent == agent) if inline else tuple(steps)
    place = request.position if request else position
    return Steps(thread, bisect_left(thread, place, key=lambda step: step.position), request is not None)


def find_request(transcript: Transcript, step: Step) -> Request | None:
    requests = Request.objects.filter(transcript=transcript, position=step.position, message_id=step.message_id)
    return with_weights(requests).first()
