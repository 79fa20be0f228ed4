"""Whose rules a compaction follows: those that the articles describe, or those of a client version.

The rules of recorded versions are known; any other version counts as the latest recorded one before it. docs/truth.md
compares compactions by these rules with what each of these versions sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sessions.usage.engine.model_facts import facts_of

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,6})")


class Rules(StrEnum):
    """How rules are requested."""

    SESSION = "session"
    ARTICLES = "articles"
    V2_0_76 = "2.0.76"
    V2_1_20 = "2.1.20"
    V2_1_90 = "2.1.90"
    V2_1_160 = "2.1.160"
    V2_1_197 = "2.1.197"
    V2_1_325 = "2.1.325"
    V2_1_327 = "2.1.327"


@dataclass(frozen=True, slots=True)
class CompactionRules:
    """The defaults are those of the articles."""

    name: str = field(default="the articles", compare=False)
    keeps_last_round: bool = False
    """The last answer stays, with its results and what follows it."""
    keeps_what_must_not_be_sent: bool = False
    """After a request that was too long the latest rounds stay without which the request for a summary fits."""
    names_large_files: bool = False
    """A file that is too large is named; else it is cut."""
    forgets_reads: bool = False
    """A client that resumes a session does not know any more what it has read."""
    reserves_longest_answer: bool = True
    """All of the longest answer is left free in the window; else 20,000 tokens of it."""
    may_grow: bool = False
    """It compacts even if the result is larger."""
    shows_files_as_system: bool = False
    """An attached file is one text with the role `system`, to models that accept it."""


ARTICLES = CompactionRules()
_FROM_2_0_76 = replace(
    ARTICLES, names_large_files=True, forgets_reads=True, reserves_longest_answer=False, may_grow=True
)
_FROM_2_1_90 = replace(_FROM_2_0_76, forgets_reads=False)
_FROM_2_1_160 = replace(_FROM_2_1_90, keeps_last_round=True, shows_files_as_system=True)
_FROM_2_1_325 = replace(_FROM_2_1_160, keeps_what_must_not_be_sent=True, shows_files_as_system=False)
_RECORDED = {
    Rules.V2_0_76: _FROM_2_0_76,
    Rules.V2_1_20: _FROM_2_0_76,
    Rules.V2_1_90: _FROM_2_1_90,
    Rules.V2_1_160: _FROM_2_1_160,
    Rules.V2_1_197: _FROM_2_1_160,
    Rules.V2_1_325: _FROM_2_1_325,
    Rules.V2_1_327: _FROM_2_1_325,
}


def rules_of(choice: Rules, client: str = "") -> CompactionRules:
    """`client`: the version that wrote the session, as records have it."""
    if choice is Rules.ARTICLES:
        return ARTICLES
    if choice is not Rules.SESSION:
        return replace(_RECORDED[choice], name=f"version {choice}")
    numbers = _numbers(client)
    if numbers is None:
        return replace(ARTICLES, name="the articles, as no record names the version of the client")
    nearest = max((rules for rules in _RECORDED if _version(rules) <= numbers), key=_version, default=Rules.V2_0_76)
    which = f"version {nearest}" if str(nearest) == client else f"version {nearest}, the nearest recorded to {client}"
    return replace(_RECORDED[nearest], name=which)


def suit_model(rules: CompactionRules, model: str) -> CompactionRules:
    """Without messages of the role `system` for a model that refuses them."""
    facts = facts_of(model)
    return replace(rules, shows_files_as_system=False) if facts and facts.system_role is False else rules


def _numbers(version: str) -> tuple[int, ...] | None:
    match = _VERSION.match(version)
    return tuple(map(int, match.groups())) if match else None


def _version(rules: Rules) -> tuple[int, ...]:
    return _numbers(rules) or ()
