"""Why Lucid does not say exactly what was sent. What none of the known causes fits is unexplained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sessions.context.engine.client_versions import behaviour_of
from tests.truth.compare import Verdict, bytes_of, conversation
from tests.truth.oracle import Truth
from tests.truth.wire import Json

UNEXPLAINED = "unexplained"
_SAME_MOMENT = "The order of attachments"
_FIRST_PROMPT = "What was asked at first"
_AFTER_ANSWER = "What was sent after the last answer"


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
    return case.verdict.conversation and not behaviour_of(case.version).records_wording


def _own_words(case: Case) -> bool:
    """The client told of something in words of its own, of which a record has the facts alone; Lucid says so."""
    if case.context is None or not any("wording of" in sentence for sentence in case.context["unknown"]):
        return False
    return _spoken(case.sent["messages"]) == _spoken(case.context["messages"])


def _other_order(case: Case) -> bool:
    """Attachments that were written at the same moment stand in another order; Lucid says so."""
    if case.context is None or not any(words.startswith(_SAME_MOMENT) for words in case.context["unknown"]):
        return False
    lengths = [sorted(_lengths(request["messages"])) for request in (case.sent, case.context)]
    return lengths[0] == lengths[1] and _spoken(case.sent["messages"]) == _spoken(case.context["messages"])


def _lengths(messages: list[Json]) -> Iterator[int]:
    """Of the words of the client that have a role of their own."""
    for message in messages:
        if message["role"] == "system":
            yield from (block["chars"] for block in message["content"])


def _spoken(messages: list[Json]) -> list[tuple[Any, ...]]:
    """What the person, the tools and the model said."""
    return [block for block in conversation(messages) if block[0] != "system"]


def _prompt_meanwhile(case: Case) -> bool:
    """A prompt that was typed while the model worked stands at the end, and in no record; Lucid says so."""
    if case.context is None or not any(words.startswith(_AFTER_ANSWER) for words in case.context["unknown"]):
        return False
    *before, last = conversation(case.sent["messages"])
    return before == conversation(case.context["messages"]) and last[:2] == ("user", "text")


def _first_prompt(case: Case) -> bool:
    """A sub-agent's file begins with its answer, and no other record holds what it was asked; Lucid says so."""
    if case.context is None or not any(words.startswith(_FIRST_PROMPT) for words in case.context["unknown"]):
        return False
    first, *rest = conversation(case.sent["messages"])
    return first[:2] == ("user", "text") and rest == conversation(case.context["messages"])


CAUSES: dict[str, Callable[[Case], bool]] = {
    "reminders in no record": _no_record,
    "words of an attachment in no record": _own_words,
    "files of the same moment": _other_order,
    "prompt of a sub-agent in no record": _first_prompt,
    "prompt typed meanwhile in no record": _prompt_meanwhile,
}


def explain_request(version: str, verdict: Verdict, sent: Json, context: Json | None) -> Miss:
    case = Case(version, verdict, sent, context)
    what = "whole" if verdict.conversation else "conversation" if verdict.has_context else "answer"
    cause = next((name for name, fits in CAUSES.items() if fits(case)), UNEXPLAINED)
    return Miss(what, cause, f"request {verdict.number}, {verdict.message}{_difference(case)}")


def explain_break(version: str, true: Truth | None, messages: Json | None) -> Miss | None:
    """None if there is nothing to explain."""
    if true is None:
        assert messages is not None
        return Miss("break", UNEXPLAINED, f"{messages['message_id']}: none, but Lucid says {messages['causes']}")
    if messages is None:
        return Miss("break", UNEXPLAINED, f"{true.message}: {true.cause}, {true.before} to {true.read}, not found")
    if messages["causes"][0] != true.cause:
        if true.cause == "system_prompt_changed" and not behaviour_of(version).records_wording:
            return Miss("cause", "system prompt in no record", f"{true.message}: Lucid says {messages['causes']}")
        if true.reminders and messages["causes"][0] == "unknown" and not behaviour_of(version).records_wording:
            return Miss("cause", "reminders in no record", f"{true.message}: Lucid says {messages['causes']}")
        return Miss("cause", UNEXPLAINED, f"{true.message}: {true.cause}, but Lucid says {messages['causes']}")
    return None


def explain_export(kind: str, difference: str) -> list[Miss]:
    return [Miss("export", UNEXPLAINED, f"{kind}: {difference}")] if difference else []


def _difference(case: Case) -> str:
    """The first block that differs: of the conversation, or if that is exact, of all."""
    if case.context is None:
        return ""
    view = bytes_of if case.verdict.conversation else conversation
    theirs, ours = view(case.sent["messages"]), view(case.context["messages"])
    for place, (sent, words) in enumerate(zip(theirs, ours, strict=False)):
        if sent != words:
            return f", block {place}: sent {sent}, said {words}; Lucid knows of: {case.context['unknown']}"
    return f", {len(theirs)} blocks sent, {len(ours)} said; Lucid knows of: {case.context['unknown']}"
