"""The habits of versions of the client, as data: what each was seen to do that the newest does not, and which two
versions that were recorded the change lies between. `make truth` records them."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, NamedTuple

from sessions.context.engine.chain.resume_signs import ResumeLoss
from sessions.context.engine.rendering.wording import ANSWER_NOTE, SHORT_EVENT_INTRO

Version = tuple[int, int, int]


class Habit(NamedTuple):
    name: str
    """A field of `ClientBehaviour`."""
    value: Any
    last: str
    """The last recorded version that was seen to do so."""
    first: str
    """The first recorded version that was seen to do otherwise. Versions between the two count as the earlier one."""
    scenario: str
    """What shows it: a scenario of `make truth`, or a larger recording."""


_CONTINUATION = (
    "Output token limit hit. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if that"
    " is where the cut happened. Break remaining work into smaller pieces."
)
_CUT_2_1_20 = (
    "Your response was cut off because it exceeded the output token limit. Please break your work into smaller"
)

HABITS: tuple[Habit, ...] = (
    Habit("resume_loss", ResumeLoss.NOTHING, "2.0.30", "2.0.76", "resume"),
    Habit("records_subagent_prompt", True, "2.0.30", "2.0.42", "mixed"),
    Habit("records_subagent_prompt", False, "2.0.60", "2.0.70", "mixed"),
    Habit("sends_lone_thinking_after_resume", True, "2.0.76", "2.1.20", "switch"),
    Habit("clears_silently", True, "2.0.76", "2.1.20", "cleared"),
    Habit("resume_loss", ResumeLoss.ALL, "2.1.77", "2.1.80", "resume"),
    Habit("sends_lone_thinking", True, "2.1.20", "2.1.90", "switch"),
    Habit("sends_command_notices", False, "2.1.20", "2.1.90", "typed"),
    Habit(
        "continuation_text", f"{_CUT_2_1_20} pieces. Continue from where you left off.", "2.1.68", "2.1.71", "retries"
    ),
    Habit("announces_loaded_tools", False, "2.1.20", "2.1.90", "deferred tools"),
    Habit("answers_last_note", False, "2.1.20", "2.1.50", "exports"),
    Habit("answers_last_note", True, "2.1.181", "2.1.197", "exports"),
    Habit("has_system_role", False, "2.1.150", "2.1.160", "agents"),
    Habit("drops_foreign_thinking", False, "2.1.150", "2.1.160", "switch"),
    Habit("puts_calls_last", False, "2.1.120", "2.1.126", "interleaved"),
    Habit("sends_blank_texts", True, "2.1.90", "2.1.160", "answers of nothing"),
    Habit("sorts_results_by_time", True, "2.1.90", "2.1.160", "resume"),
    Habit("finds_kept_results", False, "2.1.90", "2.1.160", "compact"),
    Habit("wording_is_known", False, "2.1.160", "2.1.197", "agents"),
    Habit("sends_plans", False, "2.1.160", "2.1.197", "plan"),
    Habit("sends_filed_plans", False, "2.1.197", "2.1.260", "plan"),
    Habit("joins_hooks_to_results", True, "2.1.227", "2.1.228", "hooks"),
    Habit("event_intro", SHORT_EVENT_INTRO, "2.1.197", "2.1.208", "background"),
    Habit("names_seen_media", (), "2.1.37", "2.1.38", "mixed"),
    Habit("names_seen_media", ("image",), "2.1.45", "2.1.47", "mixed"),
    Habit("names_seen_media", ("image", "document"), "2.1.63", "2.1.64", "mixed"),
    Habit("names_seen_media", (), "2.1.64", "2.1.67", "mixed"),
    Habit("names_seen_media", ("image", "document"), "2.1.68", "2.1.70", "mixed"),
    Habit("records_subagent_notes", False, "2.1.250", "2.1.260", "mixed"),
    Habit("records_wording", False, "2.1.260", "2.1.270", "mixed"),
    Habit("records_role", False, "2.1.280", "2.1.290", "mixed"),
    Habit("adds_notes_to_parts", False, "2.1.197", "2.1.260", "agents"),
    Habit("task_report_intro", "", "2.1.197", "2.1.208", "idle"),
    Habit("wraps_task_reports", False, "2.1.231", "2.1.240", "idle"),
    Habit("queued_prompt_note", ANSWER_NOTE, "2.1.197", "2.1.208", "queue"),
    Habit("sends_empty_texts", True, "2.1.197", "2.1.260", "answers of nothing"),
    Habit("emptied_answer_text", "(no content)", "2.1.197", "2.1.260", "switch"),
    Habit("continuation_text", _CONTINUATION, "2.1.250", "2.1.260", "retries"),
    Habit("resume_loss", ResumeLoss.NOTES, "2.1.197", "2.1.260", "hooks"),
    Habit("drops_removed_tools", True, "2.1.197", "2.1.260", "deferred tools"),
)
"""Oldest first. Of two rows of one habit the earlier counts, as far as it reaches."""

RECORDED = (
    "2.0.30",
    "2.0.36",
    "2.0.42",
    "2.0.50",
    "2.0.60",
    "2.0.65",
    "2.0.70",
    "2.0.76",
    "2.1.10",
    "2.1.20",
    "2.1.30",
    "2.1.36",
    "2.1.37",
    "2.1.38",
    "2.1.39",
    "2.1.40",
    "2.1.41",
    "2.1.42",
    "2.1.44",
    "2.1.45",
    "2.1.47",
    "2.1.50",
    "2.1.55",
    "2.1.62",
    "2.1.63",
    "2.1.64",
    "2.1.67",
    "2.1.68",
    "2.1.70",
    "2.1.71",
    "2.1.73",
    "2.1.74",
    "2.1.75",
    "2.1.77",
    "2.1.78",
    "2.1.80",
    "2.1.90",
    "2.1.100",
    "2.1.110",
    "2.1.120",
    "2.1.126",
    "2.1.131",
    "2.1.140",
    "2.1.150",
    "2.1.160",
    "2.1.166",
    "2.1.170",
    "2.1.181",
    "2.1.190",
    "2.1.197",
    "2.1.202",
    "2.1.208",
    "2.1.215",
    "2.1.220",
    "2.1.227",
    "2.1.228",
    "2.1.231",
    "2.1.240",
    "2.1.250",
    "2.1.260",
    "2.1.265",
    "2.1.270",
    "2.1.275",
    "2.1.280",
    "2.1.285",
    "2.1.290",
    "2.1.300",
    "2.1.305",
    "2.1.310",
    "2.1.321",
    "2.1.325",
    "2.1.327",
    "2.1.328",
)
"""The versions that were recorded with the requests that they sent, in order."""


def parse(version: str) -> Version:
    major, minor, patch = version.split(".")[:3]
    return int(major), int(minor), int(patch)


_RECORDED = [parse(version) for version in RECORDED]


def habits_of(version: Version) -> dict[str, Any]:
    """The values of all habits in which this version differs from the newest."""
    values: dict[str, Any] = {}
    for habit in HABITS:
        if version < parse(habit.first):
            values.setdefault(habit.name, habit.value)
    return values


def nearest_recorded(version: Version) -> tuple[str, ...]:
    """The recorded versions before and after this one, or this one alone if it was recorded itself."""
    place = bisect_left(_RECORDED, version)
    if _RECORDED[place : place + 1] == [version]:
        return (RECORDED[place],)
    return RECORDED[max(0, place - 1) : place + 1]
