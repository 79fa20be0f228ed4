"""Scans the requests of a session for breaks of its prompt cache, and stores them.

Usage alone decides which requests are compared. A break that was explained from the same evidence is not explained
again, and a session that has not changed is not written to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from compaction.cache.engine.causes.breaks import Break
from compaction.cache.engine.causes.explanation import explain, explain_compaction
from compaction.cache.engine.costs.pruning import pruning_of
from compaction.cache.engine.costs.totals import totals_of
from compaction.cache.engine.costs.ttl_advice import advise_ttl
from compaction.cache.engine.requests.calls import Call, Drop, find_drops
from compaction.cache.selectors.breaks import RULES_VERSION, sessions_due, size_of
from compaction.cache.selectors.calls import SCANNED_KINDS, Family, family_of, newest_capture_by_answer
from compaction.cache.selectors.evidence import boundary_between, confirm_drop, evidence_of
from compaction.models import CacheBreak, CacheScan
from inspector.structured import get_logger
from inspector.web.clock import now_ms
from sessions.archive.engine.damage import DamageError
from sessions.archive.selectors.records import Reader
from sessions.context.engine.digest import full_hash
from sessions.models import Transcript
from sessions.text.engine.storable import storable_text
from sessions.transcripts.engine.keys import key_of

Check = Callable[[], None]
StoredBreaks = dict[tuple[int, int], CacheBreak]
logger = get_logger(__name__)

INLINE_AGENT = ":sidechain"
"""How the source ends of agents without a name whose records are in the file of the session."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    breaks: int
    """In the session, the expected ones included."""
    compared: int
    """Pairs of requests that this scan compared."""
    written: int
    """Rows that were written or removed."""


def cache_scan(*, transcript: Transcript, check: Check | None = None) -> ScanResult:
    """`transcript`: a session; its sub-agents are scanned with it. `check`: called between requests, may raise."""
    size = size_of(transcript)
    family = family_of(transcript)
    stored: StoredBreaks = {
        (row.transcript_id, row.message_key): row for row in CacheBreak.objects.filter(session=transcript)
    }
    breaks: list[CacheBreak] = []
    scan = CacheScan.objects.filter(transcript=transcript).first() or CacheScan(transcript=transcript)
    dismissed: dict[str, str] = {}
    captures = newest_capture_by_answer(family) if size.captures else {}
    compared = 0
    for pk, calls in family.calls.items():
        for drop in find_drops(calls) if family.transcripts[pk].kind in SCANNED_KINDS else ():
            if check is not None:
                check()
            digest = _digest(drop, calls[-1], captures)
            before = stored.get((pk, key_of(drop.call.message_id)))
            if before is not None and before.digest == digest:
                breaks.append(before)
                continue
            name = f"{pk}:{key_of(drop.call.message_id)}"
            if scan.dismissed.get(name) == digest:
                dismissed[name] = digest
                continue
            compared += 1
            explained = _explain(family.transcripts[pk], drop, calls)
            if explained is None:
                dismissed[name] = digest
            else:
                breaks.append(_make_row(transcript, pk, explained, digest))
    values = {**asdict(size), "dismissed": dismissed, **_summarize(family, breaks)}
    with transaction.atomic():
        new, removed = _store(stored, breaks)
        written = len(new) + removed + _save_count(transcript, breaks) + _save_scan(scan, values)
    for row in new:
        _log_break(transcript, row)
    return ScanResult(len(breaks), compared, written)


def cache_scan_stale(
    *,
    ids: Iterable[int] | None = None,
    check: Check | None = None,
    report_progress: Callable[[int, int], None] | None = None,
    damage: dict[int, str] | None = None,
) -> int:
    """Scans every session that has changed since its last scan; `ids`: among these only. `report_progress` gets the
    number done and the total. `damage` gets the sessions that cannot be scanned, and why."""
    due = sessions_due(None if ids is None else set(ids))
    for index, pk in enumerate(due):
        if check is not None:
            check()
        if report_progress is not None:
            report_progress(index, len(due))
        session = Transcript.objects.filter(pk=pk).first()
        if session is None:
            continue
        try:
            cache_scan(transcript=session, check=check)
        except DamageError as error:
            # The other sessions go on; this one is scanned again once it is repaired.
            logger.warning("cache_not_scanned", session=session.public_id, error=str(error))
            if damage is not None:
                damage[session.pk] = str(error)
    if report_progress is not None:
        report_progress(len(due), len(due))
    return len(due)


def cache_scan_skip(*, sessions: Collection[int]) -> int:
    """Marks sessions whose usage shows no drop, so that nothing has to be compared."""
    return Transcript.objects.filter(pk__in=sessions, cache_breaks=None).update(cache_breaks=0) if sessions else 0


def _explain(transcript: Transcript, drop: Drop, calls: list[Call]) -> Break | None:
    boundary = boundary_between(transcript, drop)
    if boundary is not None:
        return explain_compaction(drop, boundary)
    reader = Reader(transcript.source_id)
    confirmed = confirm_drop(transcript, drop, reader)
    if confirmed is None:
        return None
    drop, *answers = confirmed
    earlier = [call for call in calls if call.source == drop.call.source and call.position < drop.call.position]
    evidence = evidence_of(transcript, drop, (answers[0], answers[1]), earlier, reader)
    if drop.call.source.endswith(INLINE_AGENT) and drop.previous.position not in evidence.current.positions:
        return None  # two agents of an old client, which gave them no names
    return explain(drop, evidence, earlier)


def _store(stored: StoredBreaks, breaks: list[CacheBreak]) -> tuple[list[CacheBreak], int]:
    """Writes breaks that are new or have changed, and removes those that are none any more: the rows, and how many."""
    kept_keys = set()
    written: list[CacheBreak] = []
    for row in breaks:
        before = stored.get((row.transcript_id, row.message_key))
        kept_keys.add((row.transcript_id, row.message_key))
        if before is row:
            continue
        if before is not None:
            row.pk = before.pk
            if _field_values(row) == _field_values(before):
                continue
        row.save()
        written.append(row)
    obsolete = [row.pk for key, row in stored.items() if key not in kept_keys]
    CacheBreak.objects.filter(pk__in=obsolete).delete()
    return written, len(obsolete)


def _log_break(session: Transcript, row: CacheBreak) -> None:
    """Logs no sentences, because they may quote the request."""
    logger.info(
        "cache_break",
        session=session.public_id,
        message_id=row.message_id,
        model=row.model,
        causes=[cause["name"] for cause in row.causes],
        confidence=row.causes[0]["confidence"],
        expected=row.expected,
        previous_read=row.previous_read,
        read=row.read,
        wasted=row.wasted,
        cost_usd=row.cost,
    )


def _field_values(row: CacheBreak) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.fields if field.attname != "made_at"}


def _summarize(family: Family, breaks: list[CacheBreak]) -> dict[str, Any]:
    costs = [row.cost for row in breaks if row.cost is not None]
    totals = totals_of(family.all_calls, sum(row.wasted for row in breaks), sum(costs) if costs or not breaks else None)
    causes = {row.message_id: row.cause for row in breaks}
    pruning, ttl = pruning_of(family.all_calls, causes), advise_ttl(family.all_calls, causes)
    return {
        "rules": RULES_VERSION,
        "totals": {**totals.to_json(), **_count_expected(breaks)},
        "advice": {"pruning": pruning.to_json(), "ttl": ttl.to_json()},
    }


def _save_count(session: Transcript, breaks: list[CacheBreak]) -> int:
    unexpected = sum(not row.expected for row in breaks)
    if session.cache_breaks == unexpected:
        return 0
    session.cache_breaks = unexpected
    return Transcript.objects.filter(pk=session.pk).update(cache_breaks=unexpected)


def _save_scan(scan: CacheScan, values: Mapping[str, Any]) -> int:
    if scan.pk is not None and all(
        _as_stored(getattr(scan, name)) == _as_stored(value) for name, value in values.items()
    ):
        return 0
    for name, value in values.items():
        setattr(scan, name, value)
    scan.made_at = now_ms()
    scan.save()
    return 1


def _count_expected(breaks: list[CacheBreak]) -> dict[str, int]:
    expected = sum(row.expected for row in breaks)
    return {"breaks": len(breaks) - expected, "expected": expected}


def _storable(value: Any) -> Any:
    """Names of tools and settings come from the client and may hold characters that a database does not take."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _as_stored(value: Any) -> Any:
    """As the database returns it: tuples become lists there."""
    if isinstance(value, dict):
        return {str(name): _as_stored(item) for name, item in value.items()}
    return [_as_stored(item) for item in value] if isinstance(value, (list, tuple)) else value


def _digest(drop: Drop, last: Call, newest_captures: Mapping[str, int]) -> str:
    """Changes when a request is captured; for the last request also when its usage changes, as its answer may still be
    growing."""
    open_usage = "" if last is not drop.call else f" of {last.usage}"
    captures = [newest_captures.get(call.message_id, 0) for call in (drop.previous, drop.call)]
    return full_hash(f"{RULES_VERSION} {drop.previous} {drop.call} {captures}{open_usage}")[:32]


def _make_row(session: Transcript, transcript: int, explained: Break, digest: str) -> CacheBreak:
    drop = explained.drop
    call, previous = drop.call, drop.previous
    return CacheBreak(
        session=session,
        transcript_id=transcript,
        agent=call.source.partition(":")[2],
        message_id=call.message_id,
        message_key=key_of(call.message_id),
        position=call.position,
        at=call.started,
        model=call.model,
        previous_message_id=previous.message_id,
        previous_position=previous.position,
        gap=drop.gap,
        previous_read=previous.read,
        read=call.read,
        written=call.written,
        fresh=call.usage.input,
        cause=explained.causes[0].name,
        causes=_storable([cause.to_json() for cause in explained.causes]),
        also=_storable([cause.to_json() for cause in explained.also]),
        expected=bool(explained.expected),
        expected_why=storable_text(explained.expected),
        wasted=explained.waste.tokens,
        cost=explained.waste.cost,
        divergence=explained.divergence.to_json() if explained.divergence is not None else {},
        server=_storable(explained.server_diagnosis),
        agrees=explained.agrees,
        exactness=explained.exactness,
        missing=list(explained.missing),
        advice=explained.advice,
        digest=digest,
        made_at=now_ms(),
    )
