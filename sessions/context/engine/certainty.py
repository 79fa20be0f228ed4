"""How certain a context is, and what is known of the system prompt, the tools and the parameters of a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sessions.linking.engine.raw_fields import mapping, text
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import text_block


class Exactness(StrEnum):
    RECORDED = "recorded"
    """From the client's own log of the request, or from a capture of it."""
    RECONSTRUCTED = "reconstructed"
    """From the transcript, by the rules of the client."""


@dataclass(frozen=True, slots=True)
class RequestSetup:
    """What a request holds beside its messages. None stands for what no record holds."""

    system: tuple[Mapping[str, Any], ...] | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    marks: tuple[Mapping[str, Any], ...] | None = None
    """Where the cache marks were."""
    prefix: str = ""
    """Sent before the system prompt, as a block of its own; a shape has it among its blocks."""

    @classmethod
    def of_shape(cls, shape: Mapping[str, Any]) -> RequestSetup:
        return cls(_blocks(shape.get("system")), _blocks(shape.get("tools")))

    @classmethod
    def of_snapshot(cls, record: Mapping[str, Any]) -> RequestSetup:
        attachment = mapping(record.get("attachment"))
        prefix = text(attachment.get("cliPrefix"))
        return cls(_blocks(attachment.get("systemPrompt")), _blocks(attachment.get("tools")), prefix=prefix)


def _blocks(value: object) -> tuple[Mapping[str, Any], ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(text_block(block) if isinstance(block, str) else mapping(block) for block in value)


def list_unknowns(
    exactness: Exactness,
    setup: RequestSetup,
    inexact: int,
    *,
    has_missing_parent: bool,
    may_be_resumed: bool,
    is_copied: bool,
    has_ties: bool,
    lacks_prompt: bool,
    nearest_versions: tuple[str, tuple[str, ...]],
    ends_with_answer: bool,
) -> tuple[str, ...]:
    sentences: list[str] = []
    if setup.system is None:
        sentences.append("The system prompt: no record of this session holds it.")
    if setup.tools is None:
        sentences.append("The definitions of the tools: no record of this session holds them.")
    if exactness is Exactness.RECONSTRUCTED:
        version, nearest = nearest_versions
        if nearest:
            sentences.append(
                f"Whether client {version} makes its requests as {' or '.join(nearest)} does: it was never recorded"
                f" itself, and {'those are' if len(nearest) > 1 else 'that is'} the nearest that"
                f" {'were' if len(nearest) > 1 else 'was'}."
            )
        if lacks_prompt:
            sentences.append("What was asked at first: no record holds a prompt before the first answer.")
        if has_ties:
            sentences.append(
                "The order of attachments that were written at the same moment: this version sends them by their times."
            )
        if has_missing_parent:
            sentences.append("What stood where the file has a gap: a message follows a record that is not in it.")
        if is_copied:
            sentences.append(
                "What the session still held that this one was copied from: a fork has what was left of it, in the"
                " order in which its client found it. The request was made there."
            )
        if ends_with_answer:
            # 2.0.76 does not record a prompt that was typed while the model worked.
            sentences.append(
                "What was sent after the last answer: a request does not end with one, but no record follows."
            )
        if may_be_resumed:
            sentences.append(
                "Which results of parallel calls were sent: this version loses some when it reads a session again, and"
                " no record tells for certain when it did."
            )
        if inexact:
            sentences.append(
                f"The wording of {plural(inexact, 'attachment')}: this version wrote down"
                " what it attached, not the words that it sent."
            )
        sentences.append(
            "Reminders, files and pictures that the client added without writing them into the transcript."
        )
        sentences.append("Whether the client left out the text of old tool results, where it did not write that down.")
    elif inexact:
        sentences.append(
            f"The bytes of {plural(inexact, 'block')}: the client's log has another hash for them than this file, as"
            " when a file was edited or moved. They are shown by their place."
        )
    if setup.marks is None:
        sentences.append("Where the cache marks stood.")
    return tuple(sentences)
