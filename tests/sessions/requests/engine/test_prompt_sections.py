from __future__ import annotations

import pytest

from sessions.context.engine.certainty import RequestSetup
from sessions.requests.engine.marks import marks_of
from sessions.requests.engine.prompt_sections import (
    Change,
    PromptSection,
    global_scope_obstacle,
    prompt_sections,
    split_sections,
)

OPENING = "You help with tides.\n\n"
ENVIRONMENT = "# Environment\n - Directory: /home/dev/tidewatch\n"
MCP = "# MCP server instructions\nUse tides for tables.\n"
EVERYBODY = {"type": "ephemeral", "scope": "global"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


def block(text: str, mark: dict[str, str] | None = None) -> dict[str, object]:
    return {"type": "text", "text": text} | ({"cache_control": mark} if mark else {})


def setup_of(*blocks: dict[str, object], tools: tuple[dict[str, object], ...] = ()) -> RequestSetup:
    return RequestSetup(system=blocks, tools=tools)


def sections(setup: RequestSetup, before: RequestSetup | None = None) -> dict[str, PromptSection]:
    tokens = dict.fromkeys(range(len(setup.system or ())), 100)
    made = prompt_sections(setup, marks_of(setup, ()), tokens, before, lambda text: text.replace("secret", "…"))
    return {section.title: section for section in made}


def test_each_heading_begins_a_section_and_what_stands_before_is_the_opening() -> None:
    text = OPENING + ENVIRONMENT + "```\n# no heading\n```\n" + MCP
    assert split_sections(text) == [
        ("Opening", OPENING),
        ("Environment", ENVIRONMENT + "```\n# no heading\n```\n"),
        ("MCP server instructions", MCP),
    ]
    assert "".join(part for _, part in split_sections(text)) == text


def test_a_section_says_who_shares_its_cache_how_long_and_when_it_is_computed() -> None:
    bill = block("x-anthropic-billing-header: cc_version=1; # not a heading")
    made = sections(setup_of(bill, block(OPENING, EVERYBODY), block(ENVIRONMENT + MCP, HOUR)))
    assert [(title, section.scope) for title, section in made.items()] == [
        ("Billing header", "none"),
        ("Opening", "global"),
        ("Environment", "org"),
        ("MCP server instructions", "org"),
    ]
    assert made["Environment"].mark is not None
    assert made["Environment"].mark.ttl == "1h"
    assert made["Environment"].computed.startswith("once")
    assert made["MCP server instructions"].computed.startswith("for each request, because servers connect")
    assert made["Environment"].tokens + made["MCP server instructions"].tokens == 100
    assert sum(section.percent for section in made.values()) in (99, 100, 101)


def test_a_changed_section_has_a_diff_with_its_secrets_masked() -> None:
    before = setup_of(block(OPENING + ENVIRONMENT + MCP))
    after = setup_of(block(OPENING + ENVIRONMENT.replace("tidewatch", "secret") + "# Language\nDutch\n"))
    made = sections(after, before)
    assert {title: section.change for title, section in made.items()} == {
        "Opening": Change.SAME,
        "Environment": Change.CHANGED,
        "Language": Change.NEW,
        "MCP server instructions": Change.GONE,
    }
    diff = made["Environment"].diff
    assert diff is not None
    assert (diff.added, diff.removed) == (1, 1)
    assert "secret" not in str(diff)


def test_without_a_record_of_the_request_before_the_change_is_unknown() -> None:
    for before in (None, RequestSetup()):
        assert sections(setup_of(block(OPENING)), before)["Opening"].change is Change.UNKNOWN


@pytest.mark.parametrize(
    ("mark", "tools", "words"),
    [
        (EVERYBODY, ("mcp__tides__lookup",), ""),
        (HOUR, ("Read", "mcp__tides__lookup"), "tools of MCP servers, such as mcp__tides__lookup"),
        (HOUR, ("Read",), "does not tell why"),
    ],
)
def test_a_prompt_that_not_everybody_shares_says_why(mark: dict[str, str], tools: tuple[str, ...], words: str) -> None:
    setup = setup_of(block(OPENING, mark), tools=tuple({"name": name} for name in tools))
    obstacle = global_scope_obstacle(setup, tuple(sections(setup).values()))
    assert (words in obstacle) if words else not obstacle


def test_a_prompt_of_empty_blocks_has_no_sections() -> None:
    assert sections(setup_of(block(""), {"type": "text"})) == {}
