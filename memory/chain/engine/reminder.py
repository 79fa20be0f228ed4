"""The chain as the agent gets it: one reminder before the first message, with all files in order."""

from __future__ import annotations

from collections.abc import Iterable

from memory.chain.engine.chain_file import ChainFile, Layer

PREAMBLE = (
    "Codebase and user instructions are shown below. Be sure to adhere to these instructions. "
    "IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written."
)
"""As recorded from the client."""
_RECORDED = {
    Layer.PROJECT: "project instructions, checked into the codebase",
    Layer.INDEX: "user's auto-memory, persists across conversations",
}
_REPORTED = {
    Layer.USER: "user's private global instructions for all projects",
    Layer.LOCAL: "user's private project instructions, not checked in",
}


def is_recorded(layer: Layer) -> bool:
    """Whether the label of the layer was seen in a recording. Those of user and local files are reported by others. The
    client's label for managed files is unknown, so they have none."""
    return layer in _RECORDED


def format_reminder(files: Iterable[ChainFile]) -> str:
    parts = [PREAMBLE, *(_format_file(file) for file in files)]
    return "<system-reminder>\n" + "\n\n".join(parts) + "\n</system-reminder>"


def _format_file(file: ChainFile) -> str:
    label = _RECORDED.get(file.layer) or _REPORTED.get(file.layer)
    return f"Contents of {file.path}{f' ({label})' if label else ''}:\n\n{file.agent_text.strip()}"
