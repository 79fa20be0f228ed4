"""Stores captured requests, each content once, and deletes old ones."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.file_prints import print_of
from sessions.archive.engine.frames import compressor
from sessions.capture.engine import (
    Answer,
    Exchange,
    RequestParts,
    Unreadable,
    decode_body,
    find_sender,
    parse_answer,
    split_request,
)
from sessions.capture.engine.documents import dumps
from sessions.capture.engine.exchange import QUOTA_HEADERS
from sessions.capture.engine.packing import join_parts, pack_numbers
from sessions.capture.selectors.captures import unpack_parts
from sessions.models import Capture, CaptureBlob
from sessions.transcripts.engine.keys import key_of

AT_ONCE = 500
"""Rows per statement, because databases limit its parameters."""
DIGEST = 16
MAX_ERROR_CHARS = 2000
LOCK = 0x6C75636964
"""An arbitrary number for the advisory lock."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """Where a request of Lucid's own came from."""

    run_id: int | None
    parent_message: str = ""


def capture_store(*, exchange: Exchange, asker: RequestOrigin | None = None) -> Capture | None:
    """Stores an exchange in one transaction, so that it can be repeated. None if it is stored already."""
    if Capture.objects.filter(exchange=exchange.name).exists():
        return None
    parts, answer, problem = _read(exchange)
    if asker is None and answer.id and _is_own(exchange, answer):
        return None
    with transaction.atomic():
        _lock_captures()
        if Capture.objects.filter(exchange=exchange.name).exists():
            return None  # another process stored it in the meantime
        return _create_capture(exchange, parts, answer, problem, asker)


def _is_own(exchange: Exchange, answer: Answer) -> bool:
    """Whether Lucid itself sent the request through its endpoint: then it is already stored with its run."""
    own = Capture.objects.filter(message_key=key_of(answer.id), message_id=answer.id, origin=Capture.Origin.LUCID)
    return own.filter(request_bytes=len(exchange.request)).exists()


def _read(exchange: Exchange) -> tuple[RequestParts, Answer, str]:
    body = decode_body(exchange.request, exchange.header("content-encoding"))
    parts = RequestParts(problem=f"The request: {body.why}") if isinstance(body, Unreadable) else split_request(body)
    answer_body = decode_body(exchange.answer, exchange.answer_header("content-encoding"))
    if isinstance(answer_body, Unreadable):
        return parts, Answer(), f"The answer: {answer_body.why}"
    answer = parse_answer(answer_body, exchange.answer_header("content-type"))
    return parts, answer, ""


def _create_capture(
    exchange: Exchange, parts: RequestParts, answer: Answer, problem: str, asker: RequestOrigin | None
) -> Capture:
    answer_messages = [answer.message] if answer.message is not None else []
    numbers = contents_store(values=[*(parts.system or ()), *(parts.tools or ()), *parts.messages, *answer_messages])
    rest = iter(numbers)
    system, tools, messages = (
        None if part is None else pack_numbers([next(rest) for _ in part])
        for part in (parts.system, parts.tools, parts.messages)
    )
    sender = find_sender(exchange, parts.params)
    return Capture.objects.create(
        exchange=exchange.name,
        origin=Capture.Origin.CLIENT if asker is None else Capture.Origin.LUCID,
        run_id=None if asker is None else asker.run_id,
        parent_message="" if asker is None else asker.parent_message,
        message_key=key_of(answer.id) if answer.id else None,
        message_id=answer.id[:200],
        request_id=exchange.answer_header("request-id")[:200],
        session_id=sender.session,
        agent=sender.agent,
        at=exchange.at,
        first_byte_ms=exchange.first_byte_ms,
        duration_ms=exchange.duration_ms,
        path=exchange.path[:200],
        model=parts.model[:120],
        status=exchange.status,
        ended=exchange.ended.value,
        error=_error(exchange, parts, answer, problem),
        stop_reason=answer.stop_reason[:60],
        **_counts(answer),
        betas=[beta.strip() for beta in exchange.header("anthropic-beta").split(",") if beta.strip()],
        headers=dict([*exchange.headers, *(pair for pair in exchange.answer_headers if pair[0] in QUOTA_HEADERS)]),
        params=dict(parts.params),
        marks=list(parts.marks),
        diagnostics=dict(answer.diagnostics),
        system=system,
        tools=tools,
        messages=messages or b"",
        parts_hash=print_of(join_parts(system, tools, messages or b"")),
        answer=next(rest, None),
        request_bytes=len(exchange.request),
        answer_bytes=len(exchange.answer),
    )


def _counts(answer: Answer) -> dict[str, int]:
    usage = answer.usage
    if usage is None:
        return {}
    names = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    return {name: getattr(usage, name) for name in names}


def _error(exchange: Exchange, parts: RequestParts, answer: Answer, problem: str) -> str:
    """The most specific error that is known."""
    unreadable = f"The answer has status {exchange.status} and is not in the form of the API."
    is_unreadable = exchange.status is not None and answer.message is None
    sentence = exchange.problem or answer.error or problem or parts.problem or (unreadable if is_unreadable else "")
    return sentence[:MAX_ERROR_CHARS]


def captures_prune(*, before: int) -> int:
    """Deletes captures from before this time, and contents that no capture uses any more."""
    with transaction.atomic():
        _lock_captures()
        deleted, _ = Capture.objects.filter(at__lt=before).delete()
        if deleted:
            _contents_prune()
    return deleted


def _lock_captures() -> None:
    """Keeps other writers away: they might use a content while it is deleted. SQLite has only one writer."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def _contents_prune() -> None:
    used = set[int]()
    columns = ("system", "tools", "messages", "parts_hash", "answer")
    for capture in Capture.objects.only(*columns).iterator(chunk_size=AT_ONCE):
        try:
            used.update(number for part in unpack_parts(capture) for number in part or ())
        except DamageError as error:
            # Its contents are unknown, so no content is known to be unused.
            logger.warning("Contents of captures are not pruned: %s", error)
            return
        if capture.answer is not None:
            used.add(capture.answer)
    unused = [number for number in CaptureBlob.objects.values_list("pk", flat=True).iterator() if number not in used]
    for start in range(0, len(unused), AT_ONCE):
        CaptureBlob.objects.filter(pk__in=unused[start : start + AT_ONCE]).delete()


def contents_store(*, values: Sequence[Any]) -> list[int]:
    """The number of each value, in order. Must be called in the transaction that stores the capture."""
    documents = [dumps(value) for value in values]
    hashes = [hashlib.blake2b(data, digest_size=DIGEST).digest() for data in documents]
    missing = dict(zip(hashes, documents, strict=True))
    numbers = _load_numbers(list(missing))
    new = {name: data for name, data in missing.items() if name not in numbers}
    if new:
        compress = compressor()
        rows = [CaptureBlob(hash=name, size=len(data), data=compress(data)) for name, data in new.items()]
        # Another process may store the same content at the same time.
        CaptureBlob.objects.bulk_create(rows, batch_size=AT_ONCE // 4, ignore_conflicts=True)
        numbers |= _load_numbers(list(new))
    return [numbers[name] for name in hashes]


def _load_numbers(hashes: list[bytes]) -> dict[bytes, int]:
    numbers: dict[bytes, int] = {}
    for start in range(0, len(hashes), AT_ONCE):
        rows = CaptureBlob.objects.filter(hash__in=hashes[start : start + AT_ONCE]).values_list("hash", "pk")
        numbers.update((bytes(name), number) for name, number in rows)
    return numbers
