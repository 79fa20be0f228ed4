from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.context.engine.request_log import element_of
from sessions.requests.engine.prompt_sections import Change, PromptSection, prompt_sections, split_sections
from sessions.requests.engine.section_changes import compare_sections
from sessions.requests.engine.sent_marks import marks_of

OPENING = "You are an agent that watches tides.\n\n"
ENVIRONMENT = "# Environment\n - Directory: /home/dev/tidewatch\n"
MCP = "# MCP server instructions\nUse tides for tables.\n"
EVERYBODY = {"type": "ephemeral", "scope": "global"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


ANEW = "so the session was cleared, compacted or started again in between"


def block(text: str, mark: dict[str, str] | None = None) -> dict[str, object]:
    return {"type": "text", "text": text} | ({"cache_control": mark} if mark else {})


def setup_of(*blocks: dict[str, object], tools: tuple[dict[str, object], ...] = ()) -> RequestSetup:
    marks = [
        {"path": ["system", number], "value": item["cache_control"]}
        for number, item in enumerate(blocks)
        if "cache_control" in item
    ]
    return RequestSetup(system=blocks, tools=tools, marks=tuple(marks))


def messages_of(*messages: tuple[str, str]) -> tuple[Element, ...]:
    return tuple(element_of({"role": role, "content": [block(words)]}, {}) for role, words in messages)


def reminder(words: str) -> str:
    return f"<system-reminder>\n{words}\n</system-reminder>\n"


def sections(
    setup: RequestSetup,
    elements: tuple[Element, ...] = (),
    before: tuple[RequestSetup, tuple[Element, ...]] | None = None,
) -> dict[str, PromptSection]:
    tokens: dict[str, tuple[int, int]] = {
        f"system.{number}": (100, len(str(section.get("text", ""))))
        for number, section in enumerate(setup.system or ())
    }
    made: Any = prompt_sections(setup, elements, marks_of(setup, elements), tokens)
    if before is not None:
        made = compare_sections(made, *before, lambda text: text.replace("secret", "…"))
    assert len({section.title for section in made}) == len(made)
    return {section.title: section for section in made}


def test_each_heading_begins_a_section_and_what_stands_before_has_none() -> None:
    text = OPENING + ENVIRONMENT + "```\n# no heading\n```\n" + MCP
    assert split_sections(text) == [
        ("", OPENING),
        ("Environment", ENVIRONMENT + "```\n# no heading\n```\n"),
        ("MCP server instructions", MCP),
    ]
    assert "".join(part for _, part in split_sections(text)) == text


def test_a_section_says_who_shares_its_cache_how_long_and_when_it_is_computed() -> None:
    bill = block("x-anthropic-billing-header: cc_version=1; # not a heading")
    made = sections(setup_of(bill, block(OPENING, EVERYBODY), block(ENVIRONMENT + MCP, HOUR)))
    assert [(title, section.scope) for title, section in made.items()] == [
        ("Billing header", "none"),
        ("Identity", "global"),
        ("Environment", "org"),
        ("MCP server instructions", "org"),
    ]
    assert made["Environment"].mark is not None
    assert made["Environment"].mark.ttl == "1h"
    assert made["Environment"].computed.startswith("once")
    assert made["MCP server instructions"].computed.startswith("for each request, because servers connect")
    assert made["Environment"].tokens + made["MCP server instructions"].tokens == 100
    assert sum(section.percent for section in made.values()) in (99, 100, 101)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("# auto memory\nx", "memory"),
        ("# Output Style: Pirate\nx", "output style"),
        ("# Doing tasks\nx", "doing tasks"),
        ("# Language\nx", "language"),
        ("# Scratchpad Directory\nx", "scratchpad"),
        ("# Session-specific guidance\nx", "session guidance"),
        ("# Executing actions with care\nx", "actions with care"),
        ("gitStatus: This is the git status", "git status"),
        ("# Harbours\nx", ""),
        ("# Environmental law\nx", ""),
    ],
)
def test_sections_are_known_by_their_headings_or_first_words(words: str, kind: str) -> None:
    (section,) = prompt_sections(setup_of(block(words)), (), {}, {})
    assert ("" if section.part.kind is None else section.part.kind.name) == kind
    assert bool(section.computed) is bool(kind)


def test_what_the_client_says_before_the_first_answer_belongs_to_it() -> None:
    listing = "Available agent types for the Agent tool:\n- tides"
    elements = messages_of(
        ("user", reminder("Codebase and user instructions are shown below.\n# tidewatch\nMetres.")),
        ("user", "How high is it?"),
        ("system", f"{ENVIRONMENT}\n{listing}"),
        ("assistant", "4 m"),
        ("system", "# Environment\nlater"),
    )
    made = sections(setup_of(block(OPENING)), elements)
    assert [(title, section.place) for title, section in made.items()] == [
        ("Identity", "system.0"),
        ("Memory", "0"),
        ("Environment", "2"),
        ("Agents", "2"),
    ]
    assert made["Environment"].part.is_message
    assert (made["Environment"].scope, made["Environment"].mark) == ("none", None)
    assert made["Memory"].part.words.endswith("Metres.")


def test_a_changed_section_has_a_diff_with_its_secrets_masked() -> None:
    before = setup_of(block(OPENING + ENVIRONMENT + MCP)), messages_of(("user", reminder("Today's date is Monday")))
    after = setup_of(block(OPENING + ENVIRONMENT.replace("tidewatch", "secret") + "# Language\nDutch\n"))
    made = sections(after, messages_of(("user", reminder("Today's date is Tuesday"))), before)
    assert {title: section.change for title, section in made.items()} == {
        "Identity": Change.SAME,
        "Environment": Change.CHANGED,
        "Language": Change.NEW,
        "Date": Change.CHANGED,
        "MCP server instructions": Change.GONE,
    }
    assert {title: section.reason for title, section in made.items()} == {
        "Identity": "",
        "Environment": ANEW,
        "Language": "so another was chosen",
        "Date": ANEW,
        "MCP server instructions": "so a server came, went or says something else",
    }
    diff = made["Environment"].diff
    assert diff is not None
    assert (diff.added, diff.removed) == (1, 1)
    assert "secret" not in str(diff)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_section_that_another_follows_has_not_changed(end: str) -> None:
    memory = "# Memory\nMetres."
    style = "# Output style\nTerse."
    made = sections(setup_of(block(f"{memory}\n\n{style}")), (), (setup_of(block(f"{memory}{end}")), ()))
    assert {title: section.change for title, section in made.items()} == {
        "Memory": Change.SAME,
        "Output style": Change.NEW,
    }


def test_a_block_in_between_changes_no_other_block() -> None:
    first, second = "Tides rise slowly.", "Tides fall slowly, as everybody knows who has seen one."
    made = sections(
        setup_of(block(first), block("New."), block(second)), (), (setup_of(block(first), block(second)), ())
    )
    assert [section.change for section in made.values()] == [Change.SAME, Change.NEW, Change.SAME]
    assert "“Tides fall slowly, as everybody knows who has seen…”" in made


def test_without_a_record_of_the_request_before_the_change_is_unknown() -> None:
    assert sections(setup_of(block(OPENING)))["Identity"].change is Change.UNKNOWN
    elements = messages_of(("user", reminder("Today's date is Monday")))
    made = sections(setup_of(block(OPENING)), elements, (RequestSetup(), elements))
    assert (made["Identity"].change, made["Date"].change) == (Change.UNKNOWN, Change.SAME)


def test_who_shares_a_section_is_unknown_where_no_record_tells_of_marks() -> None:
    snapshot = RequestSetup(system=(block(ENVIRONMENT),), tools=())
    assert sections(snapshot)["Environment"].scope == ""
    assert sections(setup_of(block(ENVIRONMENT)))["Environment"].scope == "none"
    elements = messages_of(("user", reminder("Today's date is Monday")))
    assert sections(snapshot, elements)["Date"].scope == "none"


def test_a_prompt_of_empty_blocks_has_no_sections() -> None:
    assert sections(setup_of(block(""), {"type": "text"})) == {}
