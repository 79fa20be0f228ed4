"""The words for causes. Those of the client itself come first; the others are ours, for what it has no word for."""

from __future__ import annotations

from enum import StrEnum


class Name(StrEnum):
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

    COMPACTION = "compaction"
    DELETION = "cache_deletion"
    REWIND = "rewind"
    LOOKBACK = "lookback_exceeded"

    DEFERRED = "deferred_tools_changed"
    PARAMETERS = "parameters_changed"


TITLES: dict[str, str] = {
    Name.SYSTEM: "system prompt changed",
    Name.TOOLS: "tools changed",
    Name.MODEL: "model changed",
    Name.MESSAGES: "messages rewritten",
    Name.TTL_5M: "5-minute lifetime expired",
    Name.TTL_1H: "1-hour lifetime expired",
    Name.SERVER: "likely on the server",
    Name.UNKNOWN: "unknown",
    Name.EFFORT: "effort changed",
    Name.THINKING: "thinking changed",
    Name.SPEED: "speed changed",
    Name.TOOL_CHOICE: "tool choice changed",
    Name.BETAS: "betas changed",
    Name.CACHE_CONTROL: "cache marks changed",
    Name.CONTEXT_MANAGEMENT: "context management changed",
    Name.COMPACTION: "compaction",
    Name.DELETION: "content cleared",
    Name.REWIND: "rewind",
    Name.LOOKBACK: "too many blocks at once",
    Name.DEFERRED: "on-demand tools changed",
    Name.PARAMETERS: "other parameters changed",
}
"""What people read in place of the words."""

ADVICE: dict[str, str] = {
    Name.SYSTEM: (
        "Keep what changes out of the system prompt: dates, git state and instructions that differ from run to run"
        " belong into a message. Upgrade the client, or change its settings, between sessions."
    ),
    Name.TOOLS: (
        "Connect MCP servers and choose tools before the first message, and keep the set as it is until the session"
        " ends; servers that come and go are best loaded on demand (tool search)."
    ),
    Name.MODEL: "Switch models at the start of a session or right after a compaction: there is little to send again.",
    Name.MESSAGES: (
        "Something rewrote earlier messages. Look at the message where the two requests part: a hook, a proxy or a"
        " reminder that changes old messages costs everything after it each time."
    ),
    Name.TTL_5M: (
        "The pause was longer than the cache lives. If such pauses are usual, a lifetime of one hour may pay (see the"
        " advice for the session); or use the pause to compact, which costs nothing extra then."
    ),
    Name.TTL_1H: "After a pause of more than an hour, compact or start anew: the cache is cold anyway.",
    Name.SERVER: "Nothing that was sent explains it, so there is nothing to change in what you do.",
    Name.UNKNOWN: (
        "Record the requests (ANTHROPIC_BASE_URL to Lucid's capture address, or a client that logs its requests): then"
        " the next one can be explained."
    ),
    Name.EFFORT: "Choose the effort before the first message: a switch in between sends all messages again.",
    Name.THINKING: "Choose how the model thinks before the first message: a switch sends all messages again.",
    Name.SPEED: "Choose the speed before the first message: a switch sends system prompt and messages again.",
    Name.TOOL_CHOICE: "Keep the choice of tools the same: a switch sends all messages again.",
    Name.BETAS: "Keep the set of betas the same while a session lasts.",
    Name.CACHE_CONTROL: "Keep lifetime and scope of the cache marks the same while a session lasts.",
    Name.CONTEXT_MANAGEMENT: "Keep the instructions for clearing content the same while a session lasts.",
    Name.COMPACTION: "Nothing: the conversation was replaced by its summary.",
    Name.DELETION: "Clear old content when the cache is cold anyway, after a pause or a model switch.",
    Name.REWIND: "Nothing: all that the shorter conversation had in common with the cache was read.",
    Name.LOOKBACK: (
        "An answer with many calls at once pushed the last mark out of the 20 blocks that the API looks back over. Ask"
        " for fewer calls at once, or set a second mark in between."
    ),
}
