"""What comes and goes in the course of a session, in the words of the client, and what that does to loaded tools."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine import Context
from sessions.context.engine.rendering.wording import attachment_texts
from tests.sessions.context.engine.context_helpers import call, last, texts
from tests.sessions.context.engine.version_rows import TAKES_SYSTEM, note
from tests.sessions.writing import Writing

VERSION = "2.1.197"
READ, UNLOCK = "mcp__meter__read", "mcp__meter__unlock"
AMBIENT = "This is ambient context — do not narrate it to the user unless they ask or it is directly relevant"


def wording(kind: str, **fields: Any) -> str:
    (words,) = attachment_texts({"type": kind, **fields})
    return words


def test_agents_come_and_go() -> None:
    words = wording(
        "agent_listing_delta", addedLines=["- diver: dives"], removedTypes=["mate", "pilot"], isInitial=False
    )
    assert words.startswith("New agent types are now available for the Agent tool:\n- diver: dives\n\n")
    assert f"The following agent types are no longer available:\n- mate\n- pilot\n\n{AMBIENT}" in words


def test_servers_come_and_go() -> None:
    words = wording("mcp_instructions_delta", addedBlocks=["## moon\nWith care."], removedNames=["meter", "sun"])
    assert words.startswith("# MCP Server Instructions")
    gone = "The following MCP servers have disconnected. Their instructions above no longer apply:\nmeter\nsun"
    assert f"## moon\nWith care.\n\n{gone}\n\n{AMBIENT}" in words


def test_tools_come_and_go_and_are_waited_for() -> None:
    words = wording("deferred_tools_delta", addedLines=["WebFetch"], removedNames=[READ], pendingMcpServers=["meter"])
    assert words.index("WebFetch") < words.index(READ) < words.index("are still connecting") < words.index("\nmeter\n")


def test_tools_that_are_back_are_counted_by_server() -> None:
    words = wording("deferred_tools_delta", addedNames=[READ, UNLOCK], readdedNames=[READ, UNLOCK, "mcp__sun__look"])
    assert words.startswith("3 deferred tools are available again")
    assert words.endswith("mcp__meter__* (2), mcp__sun__*. Load via ToolSearch as before.")


@pytest.mark.parametrize("unseen", [{"readdedNames": [READ]}, {"needsAuthMcpServers": ["meter"], "addedLines": ["X"]}])
def test_a_change_that_no_recording_shows_has_no_words(unseen: dict[str, Any]) -> None:
    assert not attachment_texts({"type": "deferred_tools_delta", **unseen})


def searches(writing: Writing, tool: str, message: str, *names: str) -> None:
    writing.assistant(call(tool, "ToolSearch"), message=message, version=VERSION, model=TAKES_SYSTEM)
    parts = [{"type": "tool_reference", "tool_name": name} for name in names]
    block = {"type": "tool_result", "tool_use_id": tool, "content": parts}
    writing.row("user", message={"role": "user", "content": [block]}, version=VERSION)


def asks(writing: Writing, words: str, **change: Any) -> Context:
    writing.user(words, version=VERSION)
    note(writing, VERSION, "deferred_tools_delta", **change)
    writing.assistant("Yes.", message=f"m{words}", version=VERSION, model=TAKES_SYSTEM)
    return last(writing)


def brought(context: Context) -> list[list[str]]:
    results = [texts(context)[index][1] for index, element in enumerate(context.elements) if element.role == "user"]
    return [some for some in results if some[0].startswith("result")]


def test_a_tool_that_is_gone_is_no_longer_brought_until_it_is_back() -> None:
    writing = Writing()
    writing.user("Look", version=VERSION)
    searches(writing, "t1", "m1", READ)
    searches(writing, "t2", "m2", READ, "WebFetch")
    writing.assistant("Seen.", message="m3", version=VERSION, model=TAKES_SYSTEM)
    (alone, *_), (both, *_) = brought(last(writing))
    assert READ in alone
    assert READ in both
    gone = brought(asks(writing, "Without", removedNames=[READ]))
    assert "[Tool references removed - tools no longer available]" in gone[0][0]
    assert gone[0][1:2] != ["Tool loaded."]
    assert READ not in gone[1][0]
    assert "WebFetch" in gone[1][0]
    back = brought(asks(writing, "Again", addedNames=[READ], readdedNames=[READ, UNLOCK]))
    assert READ in back[0][0]
    assert back[0][1] == "Tool loaded."


def test_what_a_search_finds_meanwhile_is_there_with_all_of_its_server() -> None:
    writing = Writing()
    writing.user("Look", version=VERSION)
    searches(writing, "t1", "m1", READ)
    assert READ not in brought(asks(writing, "Without", removedNames=[READ, UNLOCK]))[0][0]
    searches(writing, "t2", "m2", UNLOCK)
    writing.assistant("Seen.", message="m3", version=VERSION, model=TAKES_SYSTEM)
    first, second = brought(last(writing))
    assert READ in first[0]
    assert UNLOCK in second[0]
