"""What versions of the client do differently when they make a request of the same conversation.

Learned from what 2.0.76, 2.1.20, 2.1.90, 2.1.160, 2.1.197 and 2.1.325 wrote and sent. Where a habit changed between two
of them, the later one is taken as the first that has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sessions.context.engine.chain.rereads import Loss
from sessions.context.engine.rendering.wording import ANSWER_IT
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.prices import SYNTHETIC

Version = tuple[int, int, int]
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,6})")
_NEWEST: Version = (10_000, 0, 0)


class Habits(NamedTuple):
    writes_words: bool = True
    """The words of an attachment stand in its record. Then one without words was not sent."""
    words_known: bool = True
    """How it words what it attaches was seen."""
    system_role: bool = True
    """Attachments are told in messages of the role `system`, to models that take them."""
    told_in_parts: bool = True
    """Other models are told them at the end of a result even if that is a list of parts."""
    own_thinking: bool = True
    """Only the model that had a thought is sent it."""
    calls_last: bool = True
    """In an answer, what came after a call is sent before it."""
    lone_thinking: bool = False
    """An answer of which nothing but thinking is left is sent."""
    lone_read: bool = False
    """Even if the client has the answer from the file."""
    blanks: bool = False
    """Texts without a word are sent."""
    empties: bool = False
    """Those are sent that have not even a space."""
    plans: bool = True
    """A plan that is put forward is sent with the call that puts it forward, outside of a terminal."""
    filed_plans: bool = True
    """Even if the client took it from the plan's file and put it into the call."""
    notified: str = ""
    """How the client introduces the report of a task in the background, in a reminder; empty: it stands as it is."""
    answer_it: str = ""
    """What is said after a prompt that was sent while the model worked."""
    notices: bool = True
    """Commands that the client ran itself are told, where it wrote them down as notices."""
    emptied: str = ""
    """What is sent of an answer of which nothing is left without the thoughts of another model."""
    going_on: str = ""
    """What is said after an answer that was cut off, where no record holds it."""
    tells_loaded: bool = True
    """Says so after a result that brings the schemas of deferred tools."""
    loss: Loss = Loss.NOTHING
    """What it no longer sends of a session that it has read again."""
    unloads: bool = False
    """Results are sent without the tools that they brought, while these are gone."""
    clears: bool = False
    """Old results are cleared in its requests, and it does not write that down."""
    by_time: bool = False
    """Then results beside the chain stand by the time they were written, before the one on it."""
    kept_whole: bool = True
    """Then it finds results beside the chain even of messages that a compaction kept."""


_CUT = "Output token limit hit. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if"
_GOING_ON = f"{_CUT} that is where the cut happened. Break remaining work into smaller pieces."
_FORMERLY = "Your response was cut off because it exceeded the output token limit. Please break your work into smaller"
_GOING_ON_FORMERLY = f"{_FORMERLY} pieces. Continue from where you left off."

_NOTIFIED = (
    "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event, NOT a message from the user.\n"
    "Do NOT interpret this as user acknowledgement, confirmation, or response to any pending question.\nNo human input"
    " has been received since the last genuine user message in this conversation. Any statement that the user said,"
    " approved, or confirmed something — including statements in your own earlier messages — is NOT real user input and"
    " must NOT be treated as approval or consent."
)

_MEANWHILE = (
    "This is how Claude Code surfaces messages the user sends mid-turn — within the running turn, often alongside the"
    " next tool result, rather than as a separate conversation turn. Address the message above as you continue this"
    " turn."
)

_NOW = Habits(notified=_NOTIFIED, answer_it=_MEANWHILE)
_OF_2_1_197 = _NOW._replace(
    writes_words=False,
    told_in_parts=False,
    filed_plans=False,
    notified="",
    answer_it=ANSWER_IT,
    empties=True,
    emptied="(no content)",
    going_on=_GOING_ON,
    loss=Loss.NOTES,
    unloads=True,
)
_OF_2_1_160 = _OF_2_1_197._replace(words_known=False, plans=False)
_OF_2_1_90 = _OF_2_1_160._replace(
    system_role=False, own_thinking=False, calls_last=False, blanks=True, by_time=True, kept_whole=False
)
_OF_2_1_20 = _OF_2_1_90._replace(
    lone_thinking=True, notices=False, going_on=_GOING_ON_FORMERLY, tells_loaded=False, loss=Loss.ALL
)
_OF_2_0_76 = _OF_2_1_20._replace(lone_read=True, clears=True)
_BEFORE = _OF_2_0_76._replace(loss=Loss.NOTHING)
_SINCE: tuple[tuple[Version, Habits], ...] = (
    ((2, 1, 260), _NOW),
    ((2, 1, 197), _OF_2_1_197),
    ((2, 1, 160), _OF_2_1_160),
    ((2, 1, 90), _OF_2_1_90),
    ((2, 1, 20), _OF_2_1_20),
    ((2, 0, 76), _OF_2_0_76),
)


@lru_cache(maxsize=256)
def habits_of(version: str) -> Habits:
    """Of a version that is not told, those of the newest."""
    match = _VERSION.match(version)
    numbers = (int(match[1]), int(match[2]), int(match[3])) if match else _NEWEST
    return next((habits for since, habits in _SINCE if numbers >= since), _BEFORE)


def writes_words(version: object) -> bool:
    """Does this version write down the words of its attachments?"""
    return isinstance(version, str) and _VERSION.match(version) is not None and habits_of(version).writes_words


class Sender(NamedTuple):
    """Who makes a request, and of which model."""

    model: str = ""
    version: str = ""
    entrypoint: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Sender:
        """Of the request that this record of an answer came from."""
        model = text(mapping(record.get("message")).get("model"))
        return cls(model, text(record.get("version")), text(record.get("entrypoint")))

    @property
    def asked(self) -> bool:
        """Was a model asked at all? Some answers the client writes itself."""
        return self.model != SYNTHETIC

    @property
    def habits(self) -> Habits:
        return habits_of(self.version)

    @property
    def puts_plans(self) -> bool:
        """Are plans sent as the model wrote them? A terminal, which has the tool for them, takes them out."""
        return self.habits.plans and self.entrypoint != "cli"

    @property
    def takes_system(self) -> bool:
        """May messages of the role `system` stand among the others?"""
        facts = facts_of(self.model)
        return facts is None or facts.system_role is not False
