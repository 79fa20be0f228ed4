"""Before lunch: what the law says about the clocks, and a tide server that joins in the middle of the session."""

from __future__ import annotations

from tests.demo.story import context
from tests.demo.story.blocks import Think, hidden
from tests.demo.story.session import Session
from tests.demo.story.tools import bash, failed, other

LAW = "https://example.org/clock-changes/"

RESULTS = [
    {"title": "Clock changes in Europe, by year", "url": LAW},
    {"title": "Summer time: the directive in plain words", "url": "https://example.org/summer-time/"},
    {"title": "Why tide tables are printed in UTC", "url": "https://example.net/tables-in-utc/"},
]

PAGE = """\
## When the clocks change

- **Forward:** last Sunday of March, 01:00 UTC, everywhere in the zone at the same instant.
- **Back:** last Sunday of October, 01:00 UTC.

Because the instant is the same everywhere, the *local* hour that repeats differs:

| zone | repeats |
|---|---|
| Europe/London | 01:00-02:00 |
| Europe/Paris | 02:00-03:00 |
| Atlantic/Azores | 00:00-01:00 |"""

LOOKED_UP = """\
It agrees with what we print: both changes happen at **01:00 UTC** everywhere, so London repeats 01:00 and the Azores \
repeat 00:00 ([source](https://example.org/clock-changes/)). Nothing in tidewatch needs to know that; `zoneinfo` \
does."""

MCP = "mcp__tides__lookup"

PREDICTIONS = """\
station: port-hallow   source: harbour office, provisional
2026-10-25 02:32Z low  1.34
2026-10-25 08:21Z high 5.11
2026-10-25 14:57Z low  1.40
2026-10-25 20:46Z high 4.90"""

COMPARED = """\
Against the harbour office's own predictions for that day:

| | ours | theirs | difference |
|---|---|---|---|
| low | 02:30 · 1.36 m | 02:32 · 1.34 m | -2 min · +2 cm |
| high | 08:24 · 5.08 m | 08:21 · 5.11 m | +3 min · -3 cm |
| low | 14:54 · 1.42 m | 14:57 · 1.40 m | -3 min · +2 cm |
| high | 20:48 · 4.88 m | 20:46 · 4.90 m | +2 min · -2 cm |

The times are a multiple of six minutes because `extremes()` samples every six; the heights are within 3 cm. Good \
enough for nine constituents."""


def clock_law(session: Session) -> None:
    session.prompt("Check that against the actual rule for clock changes, please. I don't trust either of us.", wait=85)
    names = ["WebSearch", "WebFetch"]
    result = [{"type": "tool_reference", "tool_name": name} for name in names]
    twin = {"matches": names, "query": "select:WebSearch,WebFetch", "total_deferred_tools": 7}
    session.step(hidden(120), other("ToolSearch", {"query": "select:WebSearch,WebFetch"}, result, twin))
    query = "europe summer time last Sunday October 01:00 UTC which local hour repeats"
    links = ", ".join(f'{{"title":"{hit["title"]}","url":"{hit["url"]}"}}' for hit in RESULTS)
    session.step(
        other(
            "WebSearch",
            {"query": query},
            f'Web search results for query: "{query}"\n\nLinks: [{links}]',
            {
                "query": query,
                "results": [{"tool_use_id": "srvtoolu_01tidewatchdemo", "content": RESULTS}],
                "durationSeconds": 1.9,
            },
            name="web search",
            seconds=1.9,
        )
    )
    session.step(
        other(
            "WebFetch",
            {"url": LAW, "prompt": "Which local hour repeats in which zone?"},
            PAGE,
            {"bytes": 18344, "code": 200, "codeText": "OK", "result": PAGE, "durationMs": 2210, "url": LAW},
            name="web fetch",
            seconds=2.2,
        ),
        failed(
            "WebFetch",
            {"url": "https://example.net/tables-in-utc/", "prompt": "Why UTC?"},
            "Request failed with status code 404",
        ),
    )
    session.answer(LOOKED_UP, hidden(161))


def tide_server(session: Session) -> None:
    """The user adds an MCP server: another list of tools, so the cache is rewritten."""
    session.command("mcp", "add tides", "Added MCP server tides and connected to it (1 tool)", wait=140)
    session.prompt(
        "I connected the harbour office's tide server. Compare our high and low waters of that day with theirs.",
        name="tide server",
        wait=45,
    )
    session.attach(context.deferred_tools([MCP]), "tools change")
    block = "## tides\ntides: times are UTC, heights are metres above chart datum."
    what = {"type": "mcp_instructions_delta", "addedNames": ["tides"], "addedBlocks": [block], "removedNames": []}
    session.attach((what, context.rendered(f"# MCP Server Instructions\n\n{block}")))
    session.head = session.head.with_tool(MCP)
    session.discovered.append(MCP)
    blocks = [{"type": "tool_reference", "tool_name": MCP}]
    session.step(
        other(
            "ToolSearch",
            {"query": f"select:{MCP}"},
            blocks,
            {"matches": [MCP], "query": f"select:{MCP}", "total_deferred_tools": 8},
        ),
        name="tools changed",
        miss="tools_changed",
    )
    compare(session)


def compare(session: Session) -> None:
    content = [{"type": "text", "text": PREDICTIONS}]
    given = {"station": "port-hallow", "day": "2026-10-25"}
    session.step(
        other(MCP, given, content, content, name="mcp lookup", seconds=0.8, mcpCallNotReadOnly="no_hint"),
        bash(
            "python -m tidewatch.cli table port-hallow --date 2026-10-25 | tail -4",
            "Our own extremes",
            "low   02:30 GMT  1.36\nhigh  08:24 GMT  5.08\nlow   14:54 GMT  1.42\nhigh  20:48 GMT  4.88",
        ),
        order=(1, 0),
    )
    session.answer(COMPARED, Think("All four within three minutes and three centimetres."), name="compared")
