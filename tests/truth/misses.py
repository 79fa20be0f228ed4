"""Why Lucid does not say exactly what was sent. What none of the known causes fits is unexplained."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sessions.engine.context.habits import habits_of
from tests.truth.compare import Verdict
from tests.truth.oracle import Truth
from tests.truth.wire import Json

UNEXPLAINED = "unexplained"


class Miss(NamedTuple):
    what: str
    """`conversation`, `whole`, `answer`, `break`, `cause` or `export`."""
    cause: str
    """The name of a cause, as docs/truth.md has it, or `unexplained`."""
    detail: str
    """Where to look."""


class Case(NamedTuple):
    version: str
    verdict: Verdict
    sent: Json
    context: Json | None


def _no_record(case: Case) -> bool:
    """The conversation is exact, so that only reminders differ; and the version writes none of them down."""
    return case.verdict.conversation and not habits_of(case.version).writes_words


CAUSES: dict[str, Callable[[Case], bool]] = {
    "reminders in no record": _no_record,
}


def explain_request(version: str, verdict: Verdict, sent: Json, context: Json | None) -> Miss:
    case = Case(version, verdict, sent, context)
    what = "whole" if verdict.conversation else "conversation" if verdict.told else "answer"
    cause = next((name for name, fits in CAUSES.items() if fits(case)), UNEXPLAINED)
    return Miss(what, cause, f"request {verdict.number}, {verdict.message}{_difference(case)}")


def explain_break(version: str, true: Truth | None, said: Json | None) -> Miss | None:
    """None if there is nothing to explain."""
    if true is None:
        assert said is not None
        return Miss("break", UNEXPLAINED, f"{said['message_id']}: none, but Lucid says {said['causes']}")
    if said is None:
        return Miss("break", UNEXPLAINED, f"{true.message}: {true.cause}, {true.before} to {true.read}, not found")
    if said["causes"][0] != true.cause:
        return Miss("cause", UNEXPLAINED, f"{true.message}: {true.cause}, but Lucid says {said['causes']}")
    return None


def _difference(case: Case) -> str:
    """The first block that differs."""
    if case.context is None:
        return ""
    theirs, ours = (_blocks(one["messages"]) for one in (case.sent, case.context))
    for place, (sent, said) in enumerate(zip(theirs, ours, strict=False)):
        if sent[:3] != said[:3]:
            return f", block {place}: sent {sent}, said {said}"
    return f", {len(theirs)} blocks sent, {len(ours)} said"


def _blocks(messages: list[Json]) -> list[tuple[str, str, str, int]]:
    return [
        (message["role"], block["type"], block["sha256"], block["chars"])
        for message in messages
        for block in message["content"]
    ]
