"""What a request holds after a compaction, in parts that can be held against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compaction.kinds.engine import CompactionResult
from compaction.mechanisms.engine.pipeline.thinking import MECHANISM
from sessions.context.engine import digest
from sessions.context.engine.digest import short_hash
from sessions.context.engine.rendering.records import strip_reminder_tags
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message, MessageKind
from tests.compaction.yardstick.boundaries import RecordedBoundary

PARTS = ("kept", "files", "opening", "others")
OPENING = frozenset({"instructions", "session_context", "date", "remote_session_change"})
"""What opens a conversation and is given anew."""
FILES = frozenset({"file", "compact_file_reference"})
_FILE_WORDS = ("Called the Read tool", "Result of calling the Read tool", "Note: ", "<file path=")
_FILE_HEADS = tuple(f"<system-reminder>\n{words[:6]}" for words in _FILE_WORDS[:3])
_UNCOMPARED = ("hook", "auto_mode", "nested_memory", "queued_command", "total_tokens")
"""What hooks and the next prompt bring belongs to no compaction."""


@dataclass(frozen=True)
class Words:
    """A text by its hashes: in a request it may stand in tags, and end with a new line."""

    hashes: frozenset[str]
    label: str


def sent_parts(boundary: RecordedBoundary, result: CompactionResult) -> dict[str, list[Words]]:
    """What the client sent. What old versions attached stands in no record, and of it the opening is not compared.
    Neither is thinking that no longer holds: the client sends it, we leave it out."""
    parts: dict[str, list[Words]] = {part: [] for part in PARTS}
    dead = _left_out(result)
    parts["kept"] = [words for words in _sent_conversation(boundary) if not words.hashes & dead]
    if not boundary.records_attachments:
        parts["files"] = list(_sent_files(boundary))
        return parts
    for attached in boundary.attached:
        if not attached.name.startswith(_UNCOMPARED):
            facts = attached.facts or [""] * len(attached.message.content)
            parts[_part_of(attached.name)] += [
                _words(block, fact) for block, fact in zip(attached.message.content, facts, strict=True)
            ]
    return parts


def our_parts(boundary: RecordedBoundary, result: CompactionResult) -> dict[str, list[Words]]:
    parts: dict[str, list[Words]] = {part: [] for part in PARTS}
    for message in result.after:
        if message.kind is MessageKind.SUMMARY:
            continue
        if message.kind is not MessageKind.INJECTED or _is_said(message):
            parts["kept"] += [_spoken(message.role, digest(block)) for block in message.content]
            continue
        for block in message.content:
            words = strip_reminder_tags(str(block.get("text")))
            name = message.attachment
            parts["files" if words.startswith(_FILE_WORDS) else _part_of(name)].append(_words(block))
    if not boundary.records_attachments:
        parts["opening"] = []
    return parts


def _left_out(result: CompactionResult) -> frozenset[str]:
    """The hashes of the thinking that the compaction found dead."""
    changes = [change for report in result.reports if report.mechanism == MECHANISM for change in report.changes]
    uuids = {change.uuid for change in changes}
    return frozenset().union(
        *(
            _spoken(message.role, digest(block)).hashes
            for message in result.before
            if message.uuid in uuids
            for block in message.content
            if block.get("type") in THINKING_TYPES
        )
    )


def _part_of(name: str) -> str:
    return "files" if name in FILES else "opening" if name in OPENING else "others"


def _is_said(message: Message) -> bool:
    """Commands and their output are injected, but stand in the conversation."""
    return message.role == "user" and not str(message.content[0].get("text", "")).startswith(("<system-reminder>", "<"))


def _sent_conversation(boundary: RecordedBoundary) -> Iterator[Words]:
    for message in boundary.request["messages"]:
        for block in message["content"]:
            if message["role"] == "system" or block.get("injected") or block["core"] == boundary.summary_core:
                continue
            if block["type"] != "text" or block["core"] not in boundary.later_cores:
                yield _spoken(message["role"], block)


def _sent_files(boundary: RecordedBoundary) -> Iterator[Words]:
    for message in boundary.request["messages"]:
        for block in message["content"]:
            if block.get("injected") and str(block.get("head", "")).startswith(_FILE_HEADS):
                yield Words(frozenset({block["sha256"]}), f"{block['head'][18:]}… ({block['chars']} characters)")


def _spoken(role: str, digested: Block) -> Words:
    name = digested.get("id") or digested.get("tool_use_id") or ""
    key = f"{role} {digested['type']} {name} {digested['core']}"
    return Words(frozenset({key}), f"{role} {digested['type']} {name}".strip())


def _words(block: Block, fact: str = "") -> Words:
    bare = strip_reminder_tags(str(block.get("text"))).strip("\n")
    tagged = f"<system-reminder>\n{bare}\n</system-reminder>"
    written = str(block.get("text"))
    forms = [bare, tagged, f"{tagged}\n", written, f"{written}\n", *([fact.strip("\n")] if fact else [])]
    return Words(frozenset(map(short_hash, forms)), " ".join(bare.split())[:60])


def first_difference(sent: Sequence[Words], ours: Sequence[Words]) -> str:
    """Empty if there is none."""
    for theirs, mine in zip(sent, ours, strict=False):
        if not theirs.hashes & mine.hashes:
            return f"sent “{theirs.label}”, ours “{mine.label}”"
    if len(sent) > len(ours):
        return f"missing “{sent[len(ours)].label}”"
    return f"too much: “{ours[len(sent)].label}”" if len(ours) > len(sent) else ""
