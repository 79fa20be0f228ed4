"""The requests of one thread in order, and where a reader stands among them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from sessions.models import Request, Transcript


class Step(NamedTuple):
    position: int
    message_id: str
    agent: str
    capture: int | None
    """The newest capture of the request; None if there is none."""


@dataclass(frozen=True, slots=True)
class Steps:
    """`at` is the place of the request that is looked at; without one, that of the next request after the place."""

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
        """For people, who count from one."""
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
        """The request whose answer stands at the position, or the nearest."""
        after = bisect_left(self.steps, position, key=lambda step: step.position)
        around = self.steps[max(0, after - 1) : after + 1]
        return min(around, key=lambda step: abs(step.position - position))


def load_steps(transcript: Transcript) -> list[Step]:
    """Of the transcript's own thread first, then of the sub-agents that were written into its file."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, message_id, agent, (SELECT max(captured.id) FROM transcripts_capture AS captured"
            " WHERE captured.message_key = request.message_key AND captured.message_id = request.message_id)"
            " FROM transcripts_request AS request WHERE transcript_id = %s",
            [transcript.pk],
        )
        found = [Step(*row) for row in cursor.fetchall()]
    return sorted(found, key=lambda step: step.position)


def locate_steps(found: list[Step], transcript: Transcript, *, request: Step | None = None, position: int = 0) -> Steps:
    """The steps of the thread that the request belongs to; without one, of the transcript's own."""
    inline = transcript.kind == Transcript.Kind.MAIN
    agent = request.agent if request else ""
    thread = tuple(step for step in found if step.agent == agent) if inline else tuple(found)
    place = request.position if request else position
    return Steps(thread, bisect_left(thread, place, key=lambda step: step.position), request is not None)


def find_request(transcript: Transcript, step: Step) -> Request | None:
    return Request.objects.filter(transcript=transcript, position=step.position, message_id=step.message_id).first()
