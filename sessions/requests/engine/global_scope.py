"""Who may share the cache of a system prompt, and what prevents that, as far as a request tells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessions.context.engine.certainty import RequestSetup
from sessions.linking.engine.raw_fields import text
from sessions.requests.engine.prompt_sections import PromptSection
from sessions.requests.engine.scope import Provider, Scope
from sessions.requests.engine.section_kinds import FIXED_NAMES

_PROVIDERS = (
    ("Amazon Bedrock", re.compile(r"^msg_bdrk_"), re.compile(r"(^|[./:])anthropic\.claude|^arn:aws")),
    ("Google Vertex AI", re.compile(r"^msg_vrtx_"), re.compile(r"^claude[\w.-]*@")),
)
"""Name, what begins the ids of its answers, and how it names models."""


def third_party(message_id: str, model: str) -> str:
    """The provider that answered, if it is not the maker of the model."""
    return next((name for name, ids, models in _PROVIDERS if ids.match(message_id) or models.search(model)), "")


def mcp_tool(setup: RequestSetup) -> str:
    """The first tool of an MCP server that is part of the prompt; empty if there is none."""
    names = (text(tool.get("name")) for tool in setup.tools or () if tool.get("defer_loading") is not True)
    return next((name for name in names if name.startswith("mcp__")), "")


def is_own_prompt(sections: Sequence[PromptSection]) -> bool:
    """Whether a system prompt has headings, but none of the client's own prompt."""
    own = [section.part for section in sections if not section.part.is_message and section.part.heading]
    kinds = {part.kind.name for part in own if part.kind is not None}
    return bool(own) and not kinds & FIXED_NAMES and not kinds & _DYNAMIC


_DYNAMIC = {"session guidance", "environment", "memory", "context management"}


def global_scope_sentence(
    setup: RequestSetup, sections: Sequence[PromptSection], *, message_id: str, model: str, is_subagent: bool
) -> str:
    """Which part everybody shares, or why none is shared; empty if the marks are unknown."""
    system = [section for section in sections if not section.part.is_message]
    if not system or setup.marks is None:
        return ""
    name, tool = third_party(message_id, model), mcp_tool(setup)
    own = is_subagent or is_own_prompt(system)
    provider = Provider(first_party=not name, mcp_tools=bool(tool), custom_prompt=own)
    if any(section.scope == Scope.GLOBAL for section in system):
        return "Everybody shares the cache of what is marked so: it is the same in all sessions of this version."
    if provider.shares_globally:
        return "No part is marked as shared by everybody, and nothing in the request tells why."
    obstacles = [
        *([f"{name} answered, and other providers have no such cache"] if name else []),
        *([f"the request defines tools of MCP servers, such as {tool}"] if tool else []),
        *([_OWN_AGENT if is_subagent else _OWN] if own else []),
    ]
    return f"No part is shared by everybody: {'; '.join(obstacles)}."


_OWN = "its headings are not those of the client, so it seems to be a prompt of your own"
_OWN_AGENT = "a sub-agent has a prompt of its own"
