"""The names of causes. Those of the client come first; the others are ours, for what it has no name for."""

from __future__ import annotations

from enum import StrEnum


class CauseName(StrEnum):
    SYSTEM = "system_prompt_changed"
    TOOLS = "tools_changed"
    MODEL = "model_changed"
    MESSAGES = "messages_rewritten"
    TTL_5M = "ttl_expired_5m"
    TTL_1H = "ttl_expired_1h"
    SERVER = "likely_server_side"
    UNKNOWN = "unknown"

    EFFORT = "effort_changed"
    THINKING = "thinking_changed"
    SPEED = "speed_changed"
    TOOL_CHOICE = "tool_choice_changed"
    BETAS = "betas_changed"
    CACHE_CONTROL = "cache_control_changed"
    CONTEXT_MANAGEMENT = "context_management_changed"
    PARAMETERS = "parameters_changed"
    AUTO_MODE = "auto_mode_changed"
    OVERAGE = "overage_changed"

    COMPACTION = "compaction"
    DELETION = "cache_deletion"
    REWIND = "rewind"
    LOOKBACK = "lookback_exceeded"

    DEFERRED = "deferred_tools_changed"


TITLES: dict[str, str] = {
    CauseName.SYSTEM: "system prompt changed",
    CauseName.TOOLS: "tools changed",
    CauseName.MODEL: "model changed",
    CauseName.MESSAGES: "messages rewritten",
    CauseName.TTL_5M: "5-minute lifetime expired",
    CauseName.TTL_1H: "1-hour lifetime expired",
    CauseName.SERVER: "likely on the server",
    CauseName.UNKNOWN: "unknown",
    CauseName.EFFORT: "effort changed",
    CauseName.THINKING: "thinking changed",
    CauseName.SPEED: "speed changed",
    CauseName.TOOL_CHOICE: "tool choice changed",
    CauseName.BETAS: "betas changed",
    CauseName.CACHE_CONTROL: "cache marks changed",
    CauseName.CONTEXT_MANAGEMENT: "context management changed",
    CauseName.COMPACTION: "compaction",
    CauseName.DELETION: "content cleared",
    CauseName.REWIND: "rewind",
    CauseName.LOOKBACK: "too many blocks at once",
    CauseName.DEFERRED: "on-demand tools changed",
    CauseName.PARAMETERS: "other parameters changed",
    CauseName.AUTO_MODE: "auto mode switched",
    CauseName.OVERAGE: "overage began or ended",
    "deferred_tools_delta": "tools announced",
    "mcp_instructions_delta": "MCP servers",
    "agent_listing_delta": "list of agents",
}
"""What pages show instead of the names."""

ADVICE: dict[str, str] = {
    CauseName.SYSTEM: (
        "Keep what changes out of the system prompt: dates, git state and instructions that differ from run to run"
        " belong into a message. Upgrade the client, or change its settings, between sessions."
    ),
    CauseName.TOOLS: (
        "Connect MCP servers and choose tools before the first message, and keep the set as it is until the session"
        " ends; servers that come and go are best loaded on demand (tool search)."
    ),
    CauseName.MODEL: (
        "Switch models at the start of a session or right after a compaction: there is little to send again."
    ),
    CauseName.MESSAGES: (
        "Something rewrote earlier messages. Look at the message where the two requests part: a hook, a proxy or a"
        " reminder that changes old messages costs everything after it each time."
    ),
    CauseName.TTL_5M: (
        "The pause was longer than the cache lives. If such pauses are usual, a lifetime of one hour may pay (see the"
        " advice for the session); or use the pause to compact, which costs nothing extra then."
    ),
    CauseName.TTL_1H: "After a pause of more than an hour, compact or start anew: the cache is cold anyway.",
    CauseName.SERVER: "Nothing that was sent explains it, so there is nothing to change in what you do.",
    CauseName.UNKNOWN: (
        "Record the requests (ANTHROPIC_BASE_URL to Lucid's capture address, or a client that logs its requests): then"
        " the next one can be explained."
    ),
    CauseName.EFFORT: "Choose the effort before the first message: a switch in between sends all messages again.",
    CauseName.THINKING: "Choose how the model thinks before the first message: a switch sends all messages again.",
    CauseName.SPEED: "Choose the speed before the first message: a switch sends system prompt and messages again.",
    CauseName.TOOL_CHOICE: "Keep the choice of tools the same: a switch sends all messages again.",
    CauseName.BETAS: "Keep the set of betas the same while a session lasts.",
    CauseName.CACHE_CONTROL: "Keep lifetime and scope of the cache marks the same while a session lasts.",
    CauseName.CONTEXT_MANAGEMENT: "Keep the instructions for clearing content the same while a session lasts.",
    CauseName.PARAMETERS: "Keep the parameters of the requests the same while a session lasts.",
    CauseName.AUTO_MODE: "Choose auto mode before the first message.",
    CauseName.OVERAGE: (
        "The quota of the subscription was used up, or is there again: nothing to change but when you work."
    ),
    CauseName.COMPACTION: "Nothing: the conversation was replaced by its summary.",
    CauseName.DELETION: "Clear old content when the cache is cold anyway, after a pause or a model switch.",
    CauseName.REWIND: "Nothing: all that the shorter conversation had in common with the cache was read.",
    CauseName.LOOKBACK: (
        "An answer with many calls at once pushed the last mark out of the 20 blocks that the API looks back over. Ask"
        " for fewer calls at once, or set a second mark in between."
    ),
}
