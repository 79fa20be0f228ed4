"""How sure a context is, and what is sent beside the messages where a record holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import text_block


class Exactness(StrEnum):
    RECORDED = "recorded"
    """From the client's own log of the request, or from a capture of it."""
    RECONSTRUCTED = "reconstructed"
    """From the transcript, by the rules of the client."""


@dataclass(frozen=True, slots=True)
class Given:
    """None is what no record holds."""

    system: tuple[Mapping[str, Any], ...] | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    marks: tuple[Mapping[str, Any], ...] | None = None
    """Where the cache marks stood."""
    prefix: str = ""
    """Sent before the system prompt, as a block of its own; a shape has it among its blocks."""

    @classmethod
    def of_shape(cls, shape: Mapping[str, Any]) -> Given:
        return cls(_blocks(shape.get("system")), _blocks(shape.get("tools")))

    @classmethod
    def of_snapshot(cls, record: Mapping[str, Any]) -> Given:
        attachment = mapping(record.get("attachment"))
        prefix = text(attachment.get("cliPrefix"))
        return cls(_blocks(attachment.get("systemPrompt")), _blocks(attachment.get("tools")), prefix=prefix)


def _blocks(value: object) -> tuple[Mapping[str, Any], ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(text_block(one) if isinstance(one, str) else mapping(one) for one in value)


def unknown_of(
    exactness: Exactness, given: Given, inexact: int, *, broken_off: bool, reread: bool, copied: bool
) -> tuple[str, ...]:
    sentences: list[str] = []
    if given.system is None:
        sentences.append("The system prompt: no record of this session holds it.")
    if given.tools is None:
        sentences.append("The definitions of the tools: no record of this session holds them.")
    if exactness is Exactness.RECONSTRUCTED:
        if broken_off:
            sentences.append("What stood where the file has a gap: a message follows a record that is not in it.")
        if copied:
            sentences.append(
                "What the session still held that this one was copied from: a fork has what was left of it, in the"
                " order in which its client found it. The request was made there."
            )
        if reread:
            sentences.append(
                "Which results of parallel calls were sent: this version loses some when it reads a session again, and"
                " no record tells for certain when it did."
            )
        if inexact:
            sentences.append(
                f"The wording of {inexact} {'attachment' if inexact == 1 else 'attachments'}: this version wrote down"
                " what it attached, not the words that it sent."
            )
        sentences.append(
            "Reminders, files and pictures that the client added without writing them into the transcript."
        )
        sentences.append("Whether the client left out the text of old tool results, where it did not write that down.")
    elif inexact:
        blocks = "block" if inexact == 1 else "blocks"
        sentences.append(
            f"The bytes of {inexact} {blocks}: the client's log has another hash for them than this file, as when a"
            " file was edited or moved. They are shown by their place."
        )
    if given.marks is None:
        sentences.append("Where the cache marks stood.")
    return tuple(sentences)
