"""Reads what was measured of a transcript, and which transcripts are to be measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from inspector.web.object_cache import ObjectCache
from sessions.context.engine import Context
from sessions.models import Request, Source, Transcript, Weighing
from sessions.weights.engine import Content, ContextWeights, PartReader, Rates, WeightTable, weigh_context
from sessions.weights.engine.calibration import Calibration, Evidence
from sessions.weights.engine.message_weights import MessageWeights
from sessions.weights.engine.setup_weights import setup_weight

RULES_VERSION = 6
"""Raise it when the rules change: everything is then measured again."""
KINDS = (Transcript.Kind.MAIN, Transcript.Kind.AGENT)
"""Files whose requests continue each other."""
MOST_SESSIONS = 200
"""Whose counts an estimate is calibrated on."""
GROWTH = 1.1
"""A file that grows while somebody works is measured again when it has grown by a tenth; until then the newest parts
are estimated."""


_COUNTED = Request.objects.filter(transcript=OuterRef("pk")).exclude(
    input=0, cache_read=0, cache_write_5m=0, cache_write_1h=0
)


def weight_table(transcript: Transcript) -> WeightTable:
    """Empty if it was not measured yet. Always one query."""
    packed = (
        Weighing.objects.filter(transcript=transcript, rules=RULES_VERSION).values_list("packed", flat=True).first()
    )
    return WeightTable() if packed is None else _unpack(bytes(packed))


def weight_tables(transcripts: Collection[int]) -> dict[int, WeightTable]:
    """Of several transcripts, by their keys; those that were not measured have an empty one."""
    stored = Weighing.objects.filter(transcript__in=transcripts, rules=RULES_VERSION).values_list("pk", "packed")
    tables = {key: _unpack(bytes(packed)) for key, packed in stored}
    return {key: tables.get(key, WeightTable()) for key in transcripts}


def calibration_of(model: str, *, without: int) -> Calibration:
    """What the measured sessions of this archive tell about a model. `without`: the transcript that is estimated."""
    rows = Weighing.objects.filter(rules=RULES_VERSION, learned__has_key=model).exclude(pk=without).order_by("-pk")
    calibration = Calibration()
    for learned in rows.values_list("learned", flat=True)[:MOST_SESSIONS]:
        calibration.include(read_evidence(learned[model]))
    return calibration


def read_evidence(stored: Mapping[str, Sequence[float]]) -> Evidence:
    return {Content(name): (measured, expected) for name, (measured, expected) in stored.items()}


def with_weights(requests: QuerySet[Request]) -> QuerySet[Request]:
    """The requests, each with the table of its transcript, for `request_table`."""
    return requests.annotate(
        packed_weights=F("transcript__weighing__packed"), weights_rules=F("transcript__weighing__rules")
    )


def request_table(request: Request) -> WeightTable:
    """Of a request that was read `with_weights`."""
    values = vars(request)
    if values["packed_weights"] is None or values["weights_rules"] != RULES_VERSION:
        return WeightTable()
    return _unpack(bytes(values["packed_weights"]))


def weigh(context: Context, table: WeightTable, counted: int | None = None) -> ContextWeights:
    """What the parts of a context weigh. `counted`: the prompt, if the API has counted the request that it was sent
    in."""
    counted = counted or None
    return _weights.get(context, (table, counted), lambda: _weigh(context, table, counted))


def _weigh(context: Context, table: WeightTable, counted: int | None) -> ContextWeights:
    parts = PartReader().parts(context.elements)
    weights = weigh_context(parts, table, model=context.model, position=context.position, counted=counted)
    return weights if weights.head is not None else replace(weights, head=setup_weight(context.setup, context.model))


_weights: ObjectCache[ContextWeights] = ObjectCache()


def message_weights(context: Context, table: WeightTable, counted: int | None = None) -> MessageWeights:
    """What the records of a context weigh, one by one."""
    weights = weigh(context, table, counted)
    return _message_weights.get(context, weights, lambda: _weigh_messages(context, weights))


def _weigh_messages(context: Context, weights: ContextWeights) -> MessageWeights:
    return MessageWeights.of(context.messages, context.elements, weights, Rates(context.model, weights.factors))


_message_weights: ObjectCache[MessageWeights] = ObjectCache()


@lru_cache(maxsize=8)
def _unpack(packed: bytes) -> WeightTable:
    return WeightTable.unpack(packed)


def prompt_tokens(request: Request) -> int:
    """The prompt as the API counted it."""
    return request.input + request.cache_read + request.cache_write_5m + request.cache_write_1h


def transcripts_to_weigh(ids: Collection[int] | None = None, *, growing: bool = False) -> list[int]:
    """Those with requests that were not measured up to their end, the latest first; those without counts, which are
    estimated by the others, last. `growing`: leave out those that have grown only a little since."""
    current = Transcript.objects.filter(kind__in=KINDS, requests__gt=0).exclude(source__state=Source.State.REPLACED)
    if ids is not None:
        current = current.filter(pk__in=ids)
    missing = Q(weighing=None) | ~Q(weighing__rules=RULES_VERSION)
    grown = Q(entries__gt=F("weighing__entries") * GROWTH) if growing else ~Q(entries=F("weighing__entries"))
    due = (
        current.filter(missing | grown).annotate(is_counted=Exists(_COUNTED)).order_by("-is_counted", "-last_at", "-pk")
    )
    return list(due.values_list("pk", flat=True))
