"""Measures what the parts of conversations weigh, in the background."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from django.db import connection, transaction

from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, run_create
from sessions.archive.engine.damage import DamageError
from sessions.context.selectors.contexts import load_contexts
from sessions.imports.services.priority import SCAN, give_way
from sessions.models import Request, Transcript, Weighing
from sessions.text.engine.words import plural
from sessions.weights.engine import Count, Ledger, PartReader, Sizing, WeightTable
from sessions.weights.engine.rates import Factors
from sessions.weights.selectors import RULES_VERSION, calibration_of, prompt_tokens, transcripts_to_weigh, weight_table
from sessions.weights.services.after_weighing import after_weighing
from sessions.weights.services.boundaries import measure_boundaries

KIND = "token weights"
logger = logging.getLogger(__name__)


def weights_create(*, transcripts: Collection[int] | None = None) -> Run | None:
    """A run that measures these, or all that have changed; None if there is nothing to measure."""
    due = transcripts_to_weigh(transcripts, growing=transcripts is not None)
    return run_create(kind=KIND, parameters={"transcripts": None if transcripts is None else due}) if due else None


def weights_run(active: ActiveRun, run: Run) -> dict[str, Any]:
    """Runs in a thread with a low priority. The worker's own thread also executes other runs and must keep its
    priority."""
    with ThreadPoolExecutor(1, initializer=give_way, initargs=(SCAN,)) as thread:
        return thread.submit(_measure_all, active, run).result()


def _measure_all(active: ActiveRun, run: Run) -> dict[str, Any]:
    try:
        return _measure_due(active, transcripts_to_weigh(run.parameters.get("transcripts")))
    finally:
        connection.close()


def _measure_due(active: ActiveRun, due: list[int]) -> dict[str, Any]:
    active.begin_phase("measuring", total=len(due), unit="transcripts")
    damaged = []
    for pk in due:
        active.check()
        transcript = Transcript.objects.filter(pk=pk).first()
        try:
            if transcript is not None:
                transcript_weigh(transcript=transcript, active=active)
        except DamageError as error:
            # The others are measured all the same; this one is measured once it is repaired.
            logger.warning("The tokens of %s are not measured: %s", pk, error)
            damaged.append(str(error))
        active.advance()
    return {"summary": f"Measured {plural(len(due) - len(damaged), 'transcript')}.", "transcripts": len(due)}


def transcript_weigh(*, transcript: Transcript, active: ActiveRun | None = None) -> WeightTable:
    ledger = Ledger()
    table = _measure(transcript, ledger, active)
    # Names as requests have them: those of records may hold what a database does not take.
    learned = {model: ledger.calibrations[model].evidence for model, _ in table.factors if model in ledger.calibrations}
    values = {"entries": transcript.entries, "rules": RULES_VERSION, "packed": table.pack(), "learned": learned}
    with transaction.atomic():
        Weighing.objects.update_or_create(transcript=transcript, defaults=values)
        after_weighing(transcript)
    return table


def table_measure(transcript: Transcript) -> WeightTable:
    """As it is stored; measured now if that is due, so that pages show the same from then on."""
    due = transcripts_to_weigh([transcript.pk])
    return transcript_weigh(transcript=transcript) if due else weight_table(transcript)


def _measure(transcript: Transcript, ledger: Ledger, active: ActiveRun | None = None) -> WeightTable:
    sizings = list(measure(transcript, ledger, active))
    table = replace(WeightTable.of(ledger.changes, sizings), factors=tuple(_factors(transcript, ledger)))
    return replace(table, boundaries=tuple(measure_boundaries(transcript, table, active)))


def _factors(transcript: Transcript, ledger: Ledger) -> Iterator[tuple[str, Factors]]:
    """What this session was not counted for is estimated by its own counts and those of the others."""
    models = Request.objects.filter(transcript=transcript).values_list("model", flat=True).distinct()
    for model in sorted(set(models)):
        calibration = calibration_of(model, without=transcript.pk)
        if model in ledger.calibrations:
            calibration.learn_all(ledger.calibrations[model].evidence)
        yield model, calibration.factors()


def measure(transcript: Transcript, ledger: Ledger, active: ActiveRun | None = None) -> Iterator[Sizing]:
    """The sizings of all requests of a transcript that the API has counted, in order."""
    requests = {request.message_id: request for request in Request.objects.filter(transcript=transcript)}
    reader = PartReader()
    for context in load_contexts(transcript):
        if active is not None:
            active.check()
        request = requests.get(context.request)
        if request is None or not (prompt := prompt_tokens(request)):
            continue
        parts = [part for row in reader.parts(context.elements) for part in row]
        count = Count(context.position, context.request, context.model, prompt, request.cache_read, request.output)
        if (sizing := ledger.feed(count, parts)) is not None:
            yield sizing
    if (sizing := ledger.finish()) is not None:
        yield sizing
