"""Looks through the requests of a session for breaks of its prompt cache, and keeps what it finds.

Usage alone decides which requests are compared. A break that was explained from the same evidence is not looked at
again, and a session that has not changed is not written to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from compaction.cache.engine.calls import Call, Drop, drops
from compaction.cache.engine.explaining import compacted, explain
from compaction.cache.engine.totals import totals_of
from compaction.cache.engine.ttl_advice import ttl_advice
from compaction.cache.engine.verdict import Break
from compaction.cache.engine.windows import pruning_of
from compaction.cache.selectors.breaks import RULES, reached_of, scans_due
from compaction.cache.selectors.calls import (
    LOOKED_AT,
    Family,
    captured_calls,
    family_of,
)
from compaction.cache.selectors.evidence import boundary_between, evidence_of, settled_drop
from compaction.models import CacheBreak, CacheScan
from inspector.web.clock import now_ms
from sessions.archive.engine.damage import DamageError
from sessions.archive.selectors.records import Reader
from sessions.context.engine.digest import full_hash
from sessions.models import Transcript
from sessions.text.engine.storable import storable_text
from sessions.transcripts.engine.keys import key_of

Check = Callable[[], None]
Known = dict[tuple[int, int], CacheBreak]
logger = logging.getLogger(__name__)

INLINE = ":sidechain"
"""Of the source of agents whose records stand in the session's own file, without a name."""


@dataclass(frozen=True, slots=True)
class Scanned:
    breaks: int
    """In the session, the expected ones included."""
    looked_at: int
    """Pairs of requests that were compared this time."""
    written: int
    """Rows that were written or removed."""


def cache_scan(*, transcript: Transcript, check: Check | None = None) -> Scanned:
    """`transcript`: a session; its sub-agents are looked through with it. `check`: may raise, between two requests."""
    reached = reached_of(transcript)
    family = family_of(transcript)
    known: Known = {(one.transcript_id, one.message_key): one for one in CacheBreak.objects.filter(session=transcript)}
    found: list[CacheBreak] = []
    scan = CacheScan.objects.filter(transcript=transcript).first() or CacheScan(transcript=transcript)
    dismissed: dict[str, str] = {}
    captured = captured_calls(family) if reached.captures else {}
    looked_at = 0
    for pk, calls in family.calls.items():
        for drop in drops(calls) if family.transcripts[pk].kind in LOOKED_AT else ():
            if check is not None:
                check()
            digest = _digest(drop, calls[-1], captured)
            before = known.get((pk, key_of(drop.call.message_id)))
            if before is not None and before.digest == digest:
                found.append(before)
                continue
            name = f"{pk}:{key_of(drop.call.message_id)}"
            if scan.dismissed.get(name) == digest:
                dismissed[name] = digest
                continue
            looked_at += 1
            made = _explained(family.transcripts[pk], drop, calls)
            if made is None:
                dismissed[name] = digest
            else:
                found.append(_row(transcript, pk, made, digest))
    values = {**asdict(reached), "dismissed": dismissed, **_sums(family, found)}
    with transaction.atomic():
        written = _store(known, found) + _count(transcript, found) + _save(scan, values)
    return Scanned(len(found), looked_at, written)


def cache_scan_stale(
    *,
    ids: Iterable[int] | None = None,
    check: Check | None = None,
    tell: Callable[[int, int], None] | None = None,
    damage: dict[int, str] | None = None,
) -> int:
    """Every session that has changed since it was looked into; `ids`: among these only. `tell` is given how many are
    done, and how many there are. `damage` gets the sessions that cannot be looked into, and why."""
    due = scans_due(None if ids is None else set(ids))
    for done, pk in enumerate(due):
        if check is not None:
            check()
        if tell is not None:
            tell(done, len(due))
        session = Transcript.objects.filter(pk=pk).first()
        if session is None:
            continue
        try:
            cache_scan(transcript=session, check=check)
        except DamageError as error:
            # The others must not suffer; this one is looked into again once it is repaired.
            logger.warning("The prompt cache of session %s is not looked into: %s", session.public_id, error)
            if damage is not None:
                damage[session.pk] = str(error)
    if tell is not None:
        tell(len(due), len(due))
    return len(due)


def cache_breaks_none(*, sessions: Collection[int]) -> int:
    """Sessions whose usage shows no drop, so that nothing has to be compared."""
    return Transcript.objects.filter(pk__in=sessions, cache_breaks=None).update(cache_breaks=0) if sessions else 0


def _explained(transcript: Transcript, drop: Drop, calls: list[Call]) -> Break | None:
    boundary = boundary_between(transcript, drop)
    if boundary is not None:
        return compacted(drop, boundary)
    reader = Reader(transcript.source_id)
    found = settled_drop(transcript, drop, reader)
    if found is None:
        return None
    drop, *answers = found
    earlier = [one for one in calls if one.source == drop.call.source and one.position < drop.call.position]
    evidence = evidence_of(transcript, drop, (answers[0], answers[1]), earlier, reader)
    if drop.call.source.endswith(INLINE) and drop.previous.position not in evidence.current.positions:
        return None  # two agents of an old client, which gave them no names
    return explain(drop, evidence, earlier)


def _store(known: Known, found: list[CacheBreak]) -> int:
    """Writes what is new or has changed, and removes what is no break any more."""
    kept = set()
    written = 0
    for row in found:
        before = known.get((row.transcript_id, row.message_key))
        kept.add((row.transcript_id, row.message_key))
        if before is row:
            continue
        if before is not None:
            row.pk = before.pk
            if _values(row) == _values(before):
                continue
        row.save()
        written += 1
    gone = [row.pk for key, row in known.items() if key not in kept]
    CacheBreak.objects.filter(pk__in=gone).delete()
    return written + len(gone)


def _values(row: CacheBreak) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.fields if field.attname != "made_at"}


def _sums(family: Family, found: list[CacheBreak]) -> dict[str, Any]:
    priced = [row.cost for row in found if row.cost is not None]
    totals = totals_of(family.every, sum(row.wasted for row in found), sum(priced) if priced or not found else None)
    causes = {row.message_id: row.cause for row in found}
    pruning, ttl = pruning_of(family.every, causes), ttl_advice(family.every, causes)
    return {
        "rules": RULES,
        "totals": {**totals.to_json(), **_counts(found)},
        "advice": {"pruning": pruning.to_json(), "ttl": ttl.to_json()},
    }


def _count(session: Transcript, found: list[CacheBreak]) -> int:
    unexpected = sum(not row.expected for row in found)
    if session.cache_breaks == unexpected:
        return 0
    session.cache_breaks = unexpected
    return Transcript.objects.filter(pk=session.pk).update(cache_breaks=unexpected)


def _save(scan: CacheScan, values: Mapping[str, Any]) -> int:
    if scan.pk is not None and all(_plain(getattr(scan, name)) == _plain(value) for name, value in values.items()):
        return 0
    for name, value in values.items():
        setattr(scan, name, value)
    scan.made_at = now_ms()
    scan.save()
    return 1


def _counts(found: list[CacheBreak]) -> dict[str, int]:
    expected = sum(row.expected for row in found)
    return {"breaks": len(found) - expected, "expected": expected}


def _storable(value: Any) -> Any:
    """Names of tools and settings are the client's own words: they may hold what a database does not take."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {name: _storable(one) for name, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """As it comes back from the database: tuples are lists there."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _digest(drop: Drop, last: Call, captured: Mapping[str, int]) -> str:
    """An answer may still be written, so the last one is looked at again; and so is one whose request was captured."""
    still = "" if last is not drop.call else f" of {last.usage}"
    captures = [captured.get(one.message_id, 0) for one in (drop.previous, drop.call)]
    return full_hash(f"{RULES} {drop.previous} {drop.call} {captures}{still}")[:32]


def _row(session: Transcript, transcript: int, made: Break, digest: str) -> CacheBreak:
    drop = made.drop
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
        cause=made.causes[0].name,
        causes=_storable([one.to_json() for one in made.causes]),
        also=_storable([one.to_json() for one in made.also]),
        expected=bool(made.expected),
        expected_why=storable_text(made.expected),
        wasted=made.waste.tokens,
        cost=made.waste.cost,
        divergence=made.place.to_json() if made.place is not None else {},
        server=_storable(made.server),
        agrees=made.agrees,
        exactness=made.exactness,
        missing=list(made.missing),
        advice=made.advice,
        digest=digest,
        made_at=now_ms(),
    )
