"""Files as the conversation itself shows them: what was last read of each, without reading the disk.

The paths in a transcript are not to be trusted: they could name any file of the person who opens it.
"""

from __future__ import annotations

from collections.abc import Sequence

from compaction.mechanisms.engine.attachments.files import READING_TOOLS
from compaction.mechanisms.engine.attachments.surroundings import ReadFile
from compaction.mechanisms.engine.conversation.calls import calls_of, result_text, results_of
from sessions.imports.engine.scan.content import CLEARED_TEXT, PERSISTED_TAG
from sessions.transcripts.engine.messages import Message


def recorded_files(messages: Sequence[Message]) -> ReadFile:
    calls = calls_of(messages)
    texts: dict[str, str] = {}
    for result in results_of(messages):
        call = calls.get(result.tool_use_id)
        if call is None or call.name not in READING_TOOLS or result.block.get("is_error") is True:
            continue
        path = call.input.get("file_path") or call.input.get("path")
        text = result_text(result.block)
        whole = not {"offset", "limit"} & call.input.keys() or path not in texts
        if isinstance(path, str) and text.strip() and whole and not text.startswith((CLEARED_TEXT, PERSISTED_TAG)):
            texts[path] = text
    return texts.get
