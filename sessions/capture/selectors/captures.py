"""Finds captured requests by their answers, and joins their parts."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from zstandard import ZstdError

from sessions.archive.engine.damage import DamageError, unpack_content, verify
from sessions.capture.engine import SentRequest
from sessions.capture.engine.documents import loads
from sessions.capture.engine.packing import join_parts, unpack_numbers
from sessions.models import Capture, CaptureBlob, Request, Transcript
from sessions.transcripts.engine.keys import key_of
from sessions.usage.engine.usage import Usage

AT_ONCE = 500
ANY = -1
"""In place of a capture number: any capture of the message."""


def find_capture(message_id: str) -> Capture | None:
    """The request with this answer; the newest, if a gateway used the id twice."""
    if not message_id:
        return None
    captures = Capture.objects.filter(message_key=key_of(message_id), message_id=message_id)
    return captures.order_by("-pk").first()


def captures_of(transcript: Transcript) -> QuerySet[Capture]:
    """Captures whose answers are in this transcript, in the order in which they were stored."""
    keys = Request.objects.filter(transcript=transcript).values("message_key")
    return Capture.objects.filter(message_key__in=keys).order_by("pk")


def capture_numbers(transcript: Transcript) -> dict[str, int | None]:
    """Message id -> its newest capture."""
    captures: dict[str, int | None] = {}
    captures.update(captures_of(transcript).values_list("message_id", "pk"))
    return captures


def load_sent(capture: Capture) -> SentRequest:
    """The request as it was sent."""
    return Contents().load_sent(capture)


def capture_usage(capture: Capture) -> Usage | None:
    """The usage in the answer; None if there is none."""
    if capture.input is None:
        return None
    counts = (capture.cache_read, capture.cache_write_5m, capture.cache_write_1h, capture.output)
    return Usage(capture.input, *(count or 0 for count in counts))


def load_answer(capture: Capture) -> Mapping[str, Any] | None:
    """The answer as one message; None if no part of one arrived."""
    if capture.answer is None:
        return None
    answer: Mapping[str, Any] = Contents().load_values([capture.answer])[capture.answer]
    return answer


class Contents:
    """Contents by number. Those of the latest request are cached, because the next one has nearly the same."""

    def __init__(self) -> None:
        self._cache: dict[int, Any] = {}

    def load_values(self, numbers: Collection[int]) -> dict[int, Any]:
        missing = sorted({number for number in numbers if number not in self._cache})
        for start in range(0, len(missing), AT_ONCE):
            rows = CaptureBlob.objects.filter(pk__in=missing[start : start + AT_ONCE])
            for number, data, size, digest in rows.values_list("pk", "data", "size", "hash"):
                self._cache[number] = loads(unpack_blob(number, data, size, digest))
        if absent := [number for number in numbers if number not in self._cache]:
            raise DamageError(f"Content {absent[0]} of a captured request is missing.")
        self._cache = {number: self._cache[number] for number in numbers}
        return self._cache

    def load_sent(self, capture: Capture) -> SentRequest:
        parts = unpack_parts(capture)
        values = self.load_values([number for part in parts for number in part or ()])
        system, tools, messages = (None if part is None else [values[number] for number in part] for part in parts)
        is_string = system is not None and len(system) == 1 and isinstance(system[0], str)
        return SentRequest(
            capture.pk,
            tuple(_objects(messages or ())),
            system[0] if system and is_string else None if system is None else tuple(_objects(system)),
            None if tools is None else tuple(_objects(tools)),
            {**capture.params, "betas": capture.betas} if capture.betas else capture.params,
            tuple(capture.marks),
            parts[2] or (),
            capture.headers,
        )


class CaptureLookup:
    """Looks up the captured request of an answer, for the context view."""

    def __init__(self, captures: Mapping[str, int | None]) -> None:
        """`captures`: message id -> its capture. Other messages have none."""
        self._contents = Contents()
        self._captures = captures

    def __call__(self, message_id: str) -> SentRequest | None:
        number = self._captures.get(message_id)
        if number is None:
            return None
        capture = find_capture(message_id) if number == ANY else Capture.objects.filter(pk=number).first()
        return None if capture is None else self._contents.load_sent(capture)


def unpack_blob(number: int, data: bytes | memoryview, size: int, digest: bytes | memoryview) -> bytes:
    """The content with this number, verified by its hash."""
    description = f"Content {number} of a captured request"
    raw = unpack_content(data, size, description)
    verify(raw, digest, description)
    return raw


def unpack_parts(capture: Capture) -> list[tuple[int, ...] | None]:
    """The numbers of the contents of its system prompt, tools and messages."""
    parts = (capture.system, capture.tools, capture.messages)
    verify(join_parts(*parts), capture.parts_hash, f"Capture {capture.pk}")
    try:
        return [_numbers(part) for part in parts]
    except (struct.error, ZstdError, MemoryError) as error:
        raise DamageError(f"Capture {capture.pk} is damaged: what it lists cannot be read.") from error


def _numbers(part: bytes | memoryview | None) -> tuple[int, ...] | None:
    return None if part is None else unpack_numbers(bytes(part))


def _objects(values: Iterable[Any]) -> Iterable[Mapping[str, Any]]:
    """Turns values that are no objects into text blocks. The API refuses them anyway."""
    return (value if isinstance(value, dict) else {"type": "text", "text": str(value)} for value in values)
