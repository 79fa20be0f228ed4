"""What only the server knows and pages show: how its helpers fare, and what its recorder counted. It goes along with
each request, so that a page says the same wherever it is made."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings

from inspector.settings import env
from inspector.startup.processes import State, states, states_set
from sessions.capture.endpoint.recorder import Counts
from sessions.capture.endpoint.spool_location import recorder_of


def known() -> dict[str, Any]:
    counts = recorder_of(settings.LUCID_HOME).counts
    return {
        "states": {name: state.value for name, state in states().items()},
        "counts": [counts.forwarded, counts.written, dict(counts.lost), counts.last_lost],
    }


def known_set(told: dict[str, Any]) -> None:
    states_set({name: State(value) for name, value in told["states"].items()})
    forwarded, written, lost, last_lost = told["counts"]
    recorder_of(settings.LUCID_HOME).counts = Counts(forwarded, written, Counter(lost), last_lost)


def start_known() -> dict[str, Any]:
    """What the command line told the server, once."""
    declared = [[one.name, one.value, one.given_by] for one in env.declared if one.given_by]
    return {"hosts": list(settings.ALLOWED_HOSTS), "declared": declared}


def start_known_set(told: dict[str, Any]) -> None:
    settings.ALLOWED_HOSTS[:] = told["hosts"]
    for name, value, given_by in told["declared"]:
        env.override(name, value, given_by)
