"""Captured requests: by the answer that they got, whole again."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from zstandard import ZstdError

from sessions.archive.engine.damage import DamageError, unpack_content, verify
from sessions.capture.engine import Sent
from sessions.capture.engine.documents import loads
from sessions.capture.engine.packing import parts_bytes, unpacked
from sessions.models import (
    Capture,
    CaptureBlob,
    Request,
    Transcript,
)
from sessions.transcripts.engine.keys import key_of
from sessions.usage.engine.usage import Usage

AT_ONCE = 500
ANY = -1
"""In place of a capture: whichever there is."""


def capture_of(message_id: str) -> Capture | None:
    """The request that this answer came to; the newest, should a gateway have given the id twice."""
    if not message_id:
        return None
    found = Capture.objects.filter(message_key=key_of(message_id), message_id=message_id)
    return found.order_by("-pk").first()


def captures_of(transcript: Transcript) -> QuerySet[Capture]:
    """Those whose answers stand in this transcript, in the order in which they were stored."""
    keys = Request.objects.filter(transcript=transcript).values("message_key")
    return Capture.objects.filter(message_key__in=keys).order_by("pk")


def captures_among(transcript: Transcript) -> dict[str, int | None]:
    """Message id -> its newest capture."""
    known: dict[str, int | None] = {}
    known.update(captures_of(transcript).values_list("message_id", "pk"))
    return known


def sent_of(capture: Capture) -> Sent:
    """The request as it was sent."""
    return Contents().sent(capture)


def usage_of(capture: Capture) -> Usage | None:
    """What the answer counted; None if it came to no count."""
    if capture.input is None:
        return None
    counts = (capture.cache_read, capture.cache_write_5m, capture.cache_write_1h, capture.output)
    return Usage(capture.input, *(count or 0 for count in counts))


def said_in(capture: Capture) -> Mapping[str, Any] | None:
    """The answer as one message; None if nothing of one came."""
    if capture.answer is None:
        return None
    found: Mapping[str, Any] = Contents().values([capture.answer])[capture.answer]
    return found


class Contents:
    """Contents by number. It holds those of the latest request, because the next one lists nearly the same."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}

    def values(self, numbers: Collection[int]) -> dict[int, Any]:
        missing = sorted({number for number in numbers if number not in self._held})
        for at in range(0, len(missing), AT_ONCE):
            rows = CaptureBlob.objects.filter(pk__in=missing[at : at + AT_ONCE])
            for number, data, size, known in rows.values_list("pk", "data", "size", "hash"):
                self._held[number] = loads(blob_content(number, data, size, known))
        if gone := [number for number in numbers if number not in self._held]:
            raise DamageError(f"Content {gone[0]} of a captured request is missing.")
        self._held = {number: self._held[number] for number in numbers}
        return self._held

    def sent(self, capture: Capture) -> Sent:
        parts = numbers_of(capture)
        values = self.values([number for part in parts for number in part or ()])
        system, tools, messages = (None if part is None else [values[number] for number in part] for part in parts)
        plain = system is not None and len(system) == 1 and isinstance(system[0], str)
        return Sent(
            capture.pk,
            tuple(_objects(messages or ())),
            system[0] if system and plain else None if system is None else tuple(_objects(system)),
            None if tools is None else tuple(_objects(tools)),
            {**capture.params, "betas": capture.betas} if capture.betas else capture.params,
            tuple(capture.marks),
            parts[2] or (),
        )


class Captured:
    """Gives the captured request of an answer, if there is one: what the context view asks."""

    def __init__(self, known: Mapping[str, int | None]) -> None:
        """`known`: message id -> its capture. Others have none."""
        self._contents = Contents()
        self._known = known

    def __call__(self, message_id: str) -> Sent | None:
        number = self._known.get(message_id)
        if number is None:
            return None
        capture = capture_of(message_id) if number == ANY else Capture.objects.filter(pk=number).first()
        return None if capture is None else self._contents.sent(capture)


def blob_content(number: int, data: bytes | memoryview, size: int, known: bytes | memoryview) -> bytes:
    """What is stored under a number, compared with what it is known by."""
    what = f"Content {number} of a captured request"
    raw = unpack_content(data, size, what)
    verify(raw, known, what)
    return raw


def numbers_of(capture: Capture) -> list[tuple[int, ...] | None]:
    """The contents of its system prompt, its tools and its messages."""
    parts = (capture.system, capture.tools, capture.messages)
    verify(parts_bytes(*parts), capture.parts_hash, f"Capture {capture.pk}")
    try:
        return [_numbers(part) for part in parts]
    except (struct.error, ZstdError, MemoryError) as error:
        raise DamageError(f"Capture {capture.pk} is damaged: what it lists cannot be read.") from error


def _numbers(part: bytes | memoryview | None) -> tuple[int, ...] | None:
    return None if part is None else unpacked(bytes(part))


def _objects(values: Iterable[Any]) -> Iterable[Mapping[str, Any]]:
    """What is no object cannot be shown as one; the API refuses it anyway."""
    return (value if isinstance(value, dict) else {"type": "text", "text": str(value)} for value in values)
