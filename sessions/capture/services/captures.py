"""Stores captured requests, each content once, and forgets the old ones."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.db import connection, transaction

from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.file_prints import print_of
from sessions.capture.engine import (
    Answer,
    Exchange,
    Parts,
    Unreadable,
    answer_of,
    decoded,
    parts_of,
    who_sent,
)
from sessions.capture.engine.packing import packed, parts_bytes
from sessions.capture.selectors.captures import numbers_of
from sessions.capture.services.contents import AT_ONCE, contents_store
from sessions.models import Capture, CaptureBlob
from sessions.transcripts.engine.keys import key_of

LONGEST_ERROR = 2000
LOCK = 0x6C75636964
"""Any number that nobody else locks."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asked, if it was Lucid itself."""

    run_id: int | None
    parent_message: str = ""


def capture_store(*, exchange: Exchange, asker: Asker | None = None) -> Capture | None:
    """None if it is stored already. All of it or nothing: whoever is cut off can begin again."""
    if Capture.objects.filter(exchange=exchange.name).exists():
        return None
    parts, answer, problem = _read(exchange)
    if asker is None and answer.id and _is_own(exchange, answer):
        return None
    with transaction.atomic():
        _alone()
        if Capture.objects.filter(exchange=exchange.name).exists():
            return None  # another process stored it while we read it
        return _stored(exchange, parts, answer, problem, asker)


def _is_own(exchange: Exchange, answer: Answer) -> bool:
    """Whether it is a request of Lucid's own that went through its own endpoint: it is stored with its run already."""
    own = Capture.objects.filter(message_key=key_of(answer.id), message_id=answer.id, origin=Capture.Origin.LUCID)
    return own.filter(request_bytes=len(exchange.request)).exists()


def _read(exchange: Exchange) -> tuple[Parts, Answer, str]:
    body = decoded(exchange.request, exchange.header("content-encoding"))
    parts = Parts(problem=f"The request: {body.why}") if isinstance(body, Unreadable) else parts_of(body)
    said = decoded(exchange.answer, exchange.answer_header("content-encoding"))
    if isinstance(said, Unreadable):
        return parts, Answer(), f"The answer: {said.why}"
    answer = answer_of(said, exchange.answer_header("content-type"))
    return parts, answer, ""


def _stored(exchange: Exchange, parts: Parts, answer: Answer, problem: str, asker: Asker | None) -> Capture:
    said = [answer.message] if answer.message is not None else []
    numbers = contents_store(values=[*(parts.system or ()), *(parts.tools or ()), *parts.messages, *said])
    rest = iter(numbers)
    system, tools, messages = (
        None if part is None else packed([next(rest) for _ in part])
        for part in (parts.system, parts.tools, parts.messages)
    )
    who = who_sent(exchange, parts.params)
    return Capture.objects.create(
        exchange=exchange.name,
        origin=Capture.Origin.CLIENT if asker is None else Capture.Origin.LUCID,
        run_id=None if asker is None else asker.run_id,
        parent_message="" if asker is None else asker.parent_message,
        message_key=key_of(answer.id) if answer.id else None,
        message_id=answer.id[:200],
        request_id=exchange.answer_header("request-id")[:200],
        session_id=who.session,
        agent=who.agent,
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
        betas=[one.strip() for one in exchange.header("anthropic-beta").split(",") if one.strip()],
        headers=dict(exchange.headers),
        params=dict(parts.params),
        marks=list(parts.marks),
        diagnostics=dict(answer.diagnostics),
        system=system,
        tools=tools,
        messages=messages or b"",
        parts_hash=print_of(parts_bytes(system, tools, messages or b"")),
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


def _error(exchange: Exchange, parts: Parts, answer: Answer, problem: str) -> str:
    """The first that is known, and that says the most."""
    unread = f"The answer has status {exchange.status} and is not in the form of the API."
    odd = exchange.status is not None and answer.message is None
    said = exchange.problem or answer.error or problem or parts.problem or (unread if odd else "")
    return said[:LONGEST_ERROR]


def captures_prune(*, before: int) -> int:
    """Forgets what was captured before this time, and the contents that nothing lists any more."""
    with transaction.atomic():
        _alone()
        gone, _ = Capture.objects.filter(at__lt=before).delete()
        if gone:
            _contents_prune()
    return gone


def _alone() -> None:
    """A content may be listed again at the very moment at which nothing lists it. SQLite has one writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def _contents_prune() -> None:
    used = set[int]()
    columns = ("system", "tools", "messages", "parts_hash", "answer")
    for capture in Capture.objects.only(*columns).iterator(chunk_size=AT_ONCE):
        try:
            used.update(number for part in numbers_of(capture) for number in part or ())
        except DamageError as error:
            # Nobody knows any more what it lists: then nothing is known to be unused.
            logger.warning("Contents of captures are not pruned: %s", error)
            return
        if capture.answer is not None:
            used.add(capture.answer)
    unused = [number for number in CaptureBlob.objects.values_list("pk", flat=True).iterator() if number not in used]
    for at in range(0, len(unused), AT_ONCE):
        CaptureBlob.objects.filter(pk__in=unused[at : at + AT_ONCE]).delete()
