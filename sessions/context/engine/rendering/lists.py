"""How 2.1.197 words the lists that change during a session: agents, tools whose schemas are loaded later, and servers
with their instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

Attachment = Mapping[str, Any]
Texts = tuple[str, ...]

_AGENTS = "Available agent types for the Agent tool:"
_MORE_AGENTS = "New agent types are now available for the Agent tool:"
_NO_AGENTS = "The following agent types are no longer available:"
_TOGETHER = (
    "When you launch multiple agents for independent work, send them in a single message with multiple tool uses so"
    " they run concurrently."
)
_SERVERS = (
    "# MCP Server Instructions\n\nThe following MCP servers have provided instructions for how to use their tools and"
    " resources:"
)
_NO_SERVERS = "The following MCP servers have disconnected. Their instructions above no longer apply:"
_CONNECTING = (
    "The following MCP servers are still connecting — their tools (typically named mcp__<server>__*) are not yet"
    " available but will appear shortly:"
)
_SEARCH_CONNECTING = (
    "If the user's request might be served by one of these servers (even if they didn't name it explicitly), call"
    " ToolSearch with a relevant keyword — ToolSearch will wait for connecting servers and search their tools once"
    " available. Do not report a capability as unavailable without first searching."
)
_DEFERRED = (
    "The following deferred tools are now available via ToolSearch. Their schemas are NOT loaded — calling them"
    ' directly will fail with InputValidationError. Use ToolSearch with query "select:<name>[,<name>...]" to load tool'
    " schemas before calling them:"
)
_NO_TOOLS = (
    "The following deferred tools are no longer available (their MCP server disconnected). Do not search for them —"
    " ToolSearch will return no match:"
)
_AGAIN = "deferred tools are available again (MCP server reconnected — names announced earlier in this conversation):"
_AMBIENT = (
    "This is ambient context — do not narrate it to the user unless they ask or it is directly relevant to their"
    " request."
)


def agent_texts(attachment: Attachment) -> Texts:
    lines, removed = list_strings(attachment.get("addedLines")), list_strings(attachment.get("removedTypes"))
    if attachment.get("isInitial"):
        if not lines or removed:
            return ()
        listed = _list_text(_AGENTS, lines)
        return (f"{listed}\n\n{_TOGETHER}" if attachment.get("showConcurrencyNote") else listed,)
    paragraphs = [_list_text(_MORE_AGENTS, lines)] if lines else []
    if removed:
        paragraphs += [_list_text(_NO_AGENTS, [f"- {name}" for name in removed]), _AMBIENT]
    return _join(paragraphs)


def server_texts(attachment: Attachment) -> Texts:
    blocks, removed = list_strings(attachment.get("addedBlocks")), list_strings(attachment.get("removedNames"))
    paragraphs = [_SERVERS, *blocks] if blocks else []
    if removed:
        paragraphs += [_list_text(_NO_SERVERS, removed), _AMBIENT]
    return _join(paragraphs)


def deferred_tool_texts(attachment: Attachment) -> Texts:
    """Empty where no recording shows the wording: for one tool that is back, or servers that want a login."""
    again = list_strings(attachment.get("readdedNames"))
    if len(again) == 1 or attachment.get("needsAuthMcpServers"):
        return ()
    lines, removed = list_strings(attachment.get("addedLines")), list_strings(attachment.get("removedNames"))
    waiting = list_strings(attachment.get("pendingMcpServers"))
    paragraphs = [_list_text(_DEFERRED, lines)] if lines else []
    if again:
        paragraphs.append(f"{len(again)} {_AGAIN} {_count_by_server(again)}. Load via ToolSearch as before.")
    if removed:
        paragraphs += [_list_text(_NO_TOOLS, removed), _AMBIENT]
    if waiting:
        paragraphs += [_list_text(_CONNECTING, waiting), _SEARCH_CONNECTING]
    return _join(paragraphs)


def _count_by_server(names: list[str]) -> str:
    counts = Counter(name.rpartition("__")[0] for name in names)
    return ", ".join(f"{server}__*" if count == 1 else f"{server}__* ({count})" for server, count in counts.items())


def _list_text(words: str, names: list[str]) -> str:
    return "\n".join((words, *names))


def _join(paragraphs: list[str]) -> Texts:
    return ("\n\n".join(paragraphs),) if paragraphs else ()


def list_strings(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
