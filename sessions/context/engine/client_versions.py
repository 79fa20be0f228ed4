"""What a version of the client does when it makes a request of a conversation. The table of all versions is in
`habits`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sessions.context.engine.chain.resume_signs import ResumeLoss
from sessions.context.engine.habits import Version, habits_of, nearest_recorded
from sessions.context.engine.rendering.wording import EVENT_INTRO
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.prices import SYNTHETIC

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,6})")


class ClientBehaviour(NamedTuple):
    """What one version does. The defaults are what 2.1.325 does; docs/evidence.md has the table of all versions."""

    records_wording: bool = True
    """The record of an attachment holds the words that were sent. Without words, nothing was sent."""
    records_subagent_prompt: bool = True
    """The file of a sub-agent holds what it was asked."""
    records_subagent_notes: bool = True
    """The file of a sub-agent holds the lists and reminders that it was sent."""
    records_role: bool = True
    """The record of an attachment that holds its words holds the role too."""
    wording_is_known: bool = True
    """Recordings show how this version words its attachments."""
    has_system_role: bool = True
    """Attachments are sent with the role `system`, to models that accept it (from 2.1.160)."""
    adds_notes_to_parts: bool = True
    """For other models a note goes into the result before it, even if that is a list of parts (2.1.325)."""
    joins_hooks_to_results: bool = False
    """What a hook says of a call goes to the results while the turn lasts, and is no message of its own yet."""
    drops_foreign_thinking: bool = True
    """Thinking is sent only to the model that wrote it (from 2.1.160)."""
    puts_calls_last: bool = True
    """In an answer, texts that came after a call are sent before it (from 2.1.160)."""
    sends_lone_thinking: bool = False
    """An answer is sent even if nothing but thinking is left of it (up to 2.1.20)."""
    sends_lone_thinking_after_resume: bool = False
    """Also if the client has read that answer from the file (2.0.76)."""
    sends_blank_texts: bool = False
    """Texts without a word are sent (up to 2.1.90)."""
    sends_empty_texts: bool = False
    """Of these, only those without any character at all are sent (2.1.197)."""
    sends_plans: bool = True
    """A call of `ExitPlanMode` is sent with the plan that the model wrote, outside of a terminal (from 2.1.197)."""
    sends_filed_plans: bool = True
    """Also a plan that the client read from a file and put into the call (2.1.325)."""
    task_report_intro: str = ""
    """What introduces the report of a background task; empty if reports are sent as they are."""
    wraps_task_reports: bool = True
    """Introduction and report are sent as a reminder."""
    event_intro: str = ""
    """What introduces the report of a background task among the attachments, where no record holds the words."""
    names_seen_media: tuple[str, ...] = ()
    """Blocks of these types in a prompt are sent once; when they were answered, a word stands in their place."""
    queued_prompt_note: str = ""
    """What is added to a prompt that was sent while the model worked."""
    sends_command_notices: bool = True
    """Commands that the client recorded as notices are sent (from 2.1.90)."""
    emptied_answer_text: str = ""
    """What is sent of an answer that consisted of another model's thinking."""
    continuation_text: str = ""
    """What asks the model to go on after an answer that was cut off, where no record holds it."""
    announces_loaded_tools: bool = True
    """`Tool loaded.` follows a result that brings the schemas of deferred tools (from 2.1.90)."""
    resume_loss: ResumeLoss = ResumeLoss.NOTHING
    """What is no longer sent after a resume."""
    answers_last_note: bool = False
    """After a resume, a note at the end is taken for the middle of a turn, which the client ends in its own words."""
    drops_removed_tools: bool = False
    """References to tools are left out of results while these tools are gone (2.1.197)."""
    clears_silently: bool = False
    """Old results are cleared without a record of it (2.0.76)."""
    sorts_results_by_time: bool = False
    """After a resume, results off the chain are ordered by time, before the one on it (2.1.90)."""
    finds_kept_results: bool = True
    """After a resume, results off the chain are found even among messages that a compaction kept (not 2.1.90)."""


_QUEUED_PROMPT_NOTE = (
    "This is how Claude Code surfaces messages the user sends mid-turn — within the running turn, often alongside the"
    " next tool result, rather than as a separate conversation turn. Address the message above as you continue this"
    " turn."
)

_NEWEST = ClientBehaviour(
    task_report_intro=EVENT_INTRO, event_intro=EVENT_INTRO, queued_prompt_note=_QUEUED_PROMPT_NOTE
)


@lru_cache(maxsize=256)
def behaviour_of(version: str) -> ClientBehaviour:
    """An unknown version counts as the newest."""
    numbers = _numbers(version)
    return _NEWEST if numbers is None else _NEWEST._replace(**habits_of(numbers))


@lru_cache(maxsize=256)
def unrecorded(version: str) -> tuple[str, ...]:
    """The nearest versions that were recorded; none if this one was, or if it is not known."""
    numbers = _numbers(version)
    nearest = () if numbers is None else nearest_recorded(numbers)
    return () if nearest == (".".join(map(str, numbers or ())),) else nearest


def _numbers(version: str) -> Version | None:
    match = _VERSION.match(version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def records_wording(version: object) -> bool:
    """Does this version record the words of its attachments?"""
    return isinstance(version, str) and _VERSION.match(version) is not None and behaviour_of(version).records_wording


class Sender(NamedTuple):
    """The client that makes a request, and the model that it asks."""

    model: str = ""
    version: str = ""
    entrypoint: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Sender:
        """The sender of the request that this record of an answer came from."""
        model = text(mapping(record.get("message")).get("model"))
        return cls(model, text(record.get("version")), text(record.get("entrypoint")))

    @property
    def asks_model(self) -> bool:
        """Was a model asked? The client writes some answers itself."""
        return self.model != SYNTHETIC

    @property
    def behaviour(self) -> ClientBehaviour:
        return behaviour_of(self.version)

    @property
    def sends_written_plans(self) -> bool:
        """Are plans sent as the model wrote them? In a terminal 2.1.197 leaves them out."""
        return self.behaviour.sends_plans and self.entrypoint != "cli"

    @property
    def accepts_system_role(self) -> bool:
        """Does the model accept messages of the role `system` among the others?"""
        facts = facts_of(self.model)
        return facts is None or facts.system_role is not False
