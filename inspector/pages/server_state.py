"""State that only the server has and pages show: its helpers, and the counts of its recorder. It is sent with each
request, so that a page is the same wherever it is made."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings

from inspector.settings import env
from inspector.startup.processes import State, all_states, apply_states
from sessions.capture.endpoint.recorder import Counts
from sessions.capture.endpoint.spool_location import recorder_of


def read_server_state() -> dict[str, Any]:
    counts = recorder_of(settings.LUCID_HOME).counts
    return {
        "states": {name: state.value for name, state in all_states().items()},
        "counts": [counts.forwarded, counts.written, dict(counts.lost)],
    }


def apply_server_state(state: dict[str, Any]) -> None:
    apply_states({name: State(value) for name, value in state["states"].items()})
    forwarded, written, lost = state["counts"]
    recorder_of(settings.LUCID_HOME).counts = Counts(forwarded, written, Counter(lost))


def read_start_options() -> dict[str, Any]:
    """The settings that the command line gave to the server, sent once."""
    declared = [[setting.name, setting.value, setting.given_by] for setting in env.declared if setting.given_by]
    return {"hosts": list(settings.ALLOWED_HOSTS), "declared": declared}


def apply_start_options(options: dict[str, Any]) -> None:
    settings.ALLOWED_HOSTS[:] = options["hosts"]
    for name, value, given_by in options["declared"]:
        env.override(name, value, given_by)
