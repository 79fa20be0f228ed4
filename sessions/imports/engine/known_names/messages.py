"""The keys of messages, of their usage, and of each type of content block."""

from __future__ import annotations

from sessions.imports.engine.known_names.records import KnownKeys, names

MESSAGE_KEYS = names(
    "id type role model content stop_reason stop_sequence stop_details usage container context_management diagnostics"
    " provider output_config"
)

USAGE_KEYS = names(
    "input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens cache_deleted_input_tokens "
    "cache_creation service_tier"
    " inference_geo server_tool_use iterations speed output_tokens_details fallback_credit research_preview_2026_02"
)

CACHE_CREATION_KEYS = names("ephemeral_5m_input_tokens ephemeral_1h_input_tokens")
"""Checked apart, because a third lifetime of cache entries would have a third price."""

_BLOCK_KEYS: dict[str, str | None] = {
    "text": "text citations",
    "thinking": "thinking signature",
    "redacted_thinking": "data",
    "tool_use": "id name input caller",
    "tool_result": "tool_use_id content is_error",
    "image": "source",
    "document": "source title context citations",
    "fallback": "from to",
    "server_tool_use": "id name input caller",
    "advisor_tool_result": "tool_use_id content",
    "web_search_tool_result": "tool_use_id content caller",
    "web_fetch_tool_result": "tool_use_id content caller",
    "mcp_tool_use": "id name input server_name",
    "mcp_tool_result": "tool_use_id content is_error",
    "code_execution_tool_result": None,
    "compaction": None,
}

BLOCK_KEYS: dict[str, KnownKeys] = {
    kind: None if keys is None else names(f"type cache_control {keys}") for kind, keys in _BLOCK_KEYS.items()
}

RESULT_BLOCKS = names("text image tool_reference document search_result")
"""What the content of a tool result is made of."""
