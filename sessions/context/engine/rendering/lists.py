"""How 2.1.197 words what comes and goes in the course of a session: agents, tools whose schemas are loaded later, and
servers with their instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

Attachment = Mapping[str, Any]
Words = tuple[str, ...]

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
_SEARCH = (
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


def agents(attachment: Attachment) -> Words:
    lines, removed = strings(attachment.get("addedLines")), strings(attachment.get("removedTypes"))
    if attachment.get("isInitial"):
        if not lines or removed:
            return ()
        listed = _listed(_AGENTS, lines)
        return (f"{listed}\n\n{_TOGETHER}" if attachment.get("showConcurrencyNote") else listed,)
    told = [_listed(_MORE_AGENTS, lines)] if lines else []
    if removed:
        told += [_listed(_NO_AGENTS, [f"- {one}" for one in removed]), _AMBIENT]
    return _joined(told)


def servers(attachment: Attachment) -> Words:
    blocks, removed = strings(attachment.get("addedBlocks")), strings(attachment.get("removedNames"))
    told = [_SERVERS, *blocks] if blocks else []
    if removed:
        told += [_listed(_NO_SERVERS, removed), _AMBIENT]
    return _joined(told)


def deferred_tools(attachment: Attachment) -> Words:
    """Nothing for what was not seen: one tool that is back, or servers that want a login."""
    again = strings(attachment.get("readdedNames"))
    if len(again) == 1 or attachment.get("needsAuthMcpServers"):
        return ()
    lines, removed = strings(attachment.get("addedLines")), strings(attachment.get("removedNames"))
    waiting = strings(attachment.get("pendingMcpServers"))
    told = [_listed(_DEFERRED, lines)] if lines else []
    if again:
        told.append(f"{len(again)} {_AGAIN} {_by_server(again)}. Load via ToolSearch as before.")
    if removed:
        told += [_listed(_NO_TOOLS, removed), _AMBIENT]
    if waiting:
        told += [_listed(_CONNECTING, waiting), _SEARCH]
    return _joined(told)


def _by_server(names: list[str]) -> str:
    counts = Counter(name.rpartition("__")[0] for name in names)
    return ", ".join(f"{server}__*" if count == 1 else f"{server}__* ({count})" for server, count in counts.items())


def _listed(words: str, names: list[str]) -> str:
    return "\n".join((words, *names))


def _joined(told: list[str]) -> Words:
    return ("\n\n".join(told),) if told else ()


def strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
