"""Why the marks of a request ask for five minutes or for an hour, by the rules of the client: whether the account is
eligible, whether the source is on the list, and how long the session has kept its first decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sessions.requests.engine.prompt_cache.query_sources import AGENT, MAIN, SDK
from sessions.requests.engine.prompt_cache.ttl import ALLOWLIST, Ttl, allowlist_entry
from sessions.requests.engine.sent_marks import CacheMark

_WORDS = {Ttl.FIVE_MINUTES: "Five minutes", Ttl.ONE_HOUR: "One hour"}


class Written(NamedTuple):
    """Tokens that a request wrote to the cache, by lifetime."""

    five_minutes: int
    one_hour: int


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sent a request, as far as records tell."""

    source: str = ""
    """Its query source; empty if nobody knows."""
    is_recorded: bool = False
    """The client wrote it down; else it was told from other signs."""
    provider: str = ""
    """Another provider than the maker of the model."""
    overage: bool | None = None
    """Whether the quota of the subscription was used up; None if nobody says, or there may be no subscription."""
    copies: str = ""
    """For a fork of Lucid: what it continues, whose mark it has to share."""
    is_lucid: bool = False


@dataclass(frozen=True, slots=True)
class LifetimeReason:
    title: str
    paths: tuple[str, ...]
    """The marks that ask for it."""
    sentences: tuple[str, ...]


def lifetime_reasons(
    marks: Sequence[CacheMark], asker: Asker, history: Sequence[Written]
) -> tuple[LifetimeReason, ...]:
    """`history`: what the requests of this source wrote, up to and including this one."""
    reasons = []
    for ttl in Ttl:
        paths = tuple(mark.path for mark in marks if mark.ttl == ttl)
        if paths:
            reasons.append(LifetimeReason(_WORDS[ttl], paths, tuple(_sentences(ttl, asker, history))))
    return tuple(reasons)


def _sentences(ttl: Ttl, asker: Asker, history: Sequence[Written]) -> list[str]:
    if asker.copies:
        return [f"It is a fork, and a fork has to share the mark of {asker.copies}, to the byte."]
    if asker.is_lucid:
        return ["Lucid asked by itself: of its requests, only forks share the lifetime of a session."]
    latched = _explain_latch(ttl, history)
    return [_source_sentence(asker), _account_sentence(ttl, asker), *([latched] if latched else [])]


def _source_sentence(asker: Asker) -> str:
    if not asker.source:
        return "No record names its source, so whether that is on the list is unknown."
    entry = allowlist_entry(asker.source)
    known = "Its source" if asker.is_recorded else "Its source, as far as its signs tell,"
    if entry:
        return f"{known} {asker.source} is on the list of those that may ask for an hour ({entry})."
    return f"{known} {asker.source} is not on the list ({_LIST}): it is too short-lived for an hour to pay."


_LIST = ", ".join(ALLOWLIST)


def _account_sentence(ttl: Ttl, asker: Asker) -> str:
    listed = not asker.source or bool(allowlist_entry(asker.source))
    if ttl is Ttl.ONE_HOUR:
        if asker.provider:
            return f"{asker.provider} gives an hour to those who opted in (ENABLE_PROMPT_CACHING_1H_BEDROCK)."
        if asker.overage:
            return _USED_UP
        quota = " Its answer tells of such a quota." if asker.overage is False else ""
        if not listed:
            return f"The client's list must be another than the one that is known.{quota}"
        return f"So the account is eligible: a subscription with quota left, or an employee's.{quota}"
    if asker.provider:
        return f"{asker.provider} gives five minutes to those who did not opt in."
    if not listed:
        return "Whether the account is eligible does not matter then."
    if asker.overage:
        return "The account is not eligible: the quota of its subscription is used up, and tokens cost extra."
    if asker.overage is False:
        return (
            "The answer tells of a subscription with quota left, so the account was not eligible when the session"
            " began: the first decision stands."
        )
    return "So the account was not eligible when the session began: it had no subscription, or no quota left."


_USED_UP = (
    "By now the quota of its subscription is used up; the account was eligible when the session began, and the first"
    " decision stands."
)


def _explain_latch(ttl: Ttl, history: Sequence[Written]) -> str:
    """The request since which no other lifetime was written, because a client keeps its first decision until it
    ends."""
    first = len(history)
    while first and not _wrote_other(ttl, history[first - 1]):
        first -= 1
    if first == len(history):
        return "" if not history else f"What it wrote was counted for {_OTHER[ttl]} as well."
    if first == 0:
        return "It has been so since the first request: once decided, it stays, so that no mark changes its bytes."
    return (
        f"It has been so since request {first + 1}. The request before wrote for {_OTHER[ttl]}: another client decided"
        " anew, as after a restart."
    )


_OTHER = {Ttl.FIVE_MINUTES: "an hour", Ttl.ONE_HOUR: "five minutes"}


def _wrote_other(ttl: Ttl, written: Written) -> bool:
    return bool(written.five_minutes if ttl is Ttl.ONE_HOUR else written.one_hour)


def source_of(recorded: str, headers: Mapping[str, str], *, is_subagent: bool) -> tuple[str, bool]:
    """The query source, and whether the client recorded it. If not, it is derived from who asks, or from the client's
    name for itself."""
    if recorded:
        return recorded, True
    if is_subagent or headers.get("x-claude-code-agent-id"):
        return AGENT.rstrip(":") + ":…", False
    client = headers.get("user-agent", "")
    if "sdk" in client.partition("(")[2]:
        return SDK, False
    return (MAIN, False) if client.startswith("claude-cli/") else ("", False)
