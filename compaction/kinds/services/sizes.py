"""Keeps the sizes of compactions current: they are measured when one is made, and again whenever their session is."""

from __future__ import annotations

import logging

from compaction.kinds.engine.sizes import measure_sizes
from compaction.kinds.selectors import load_stored_context
from compaction.models import Compaction
from sessions.archive.engine.damage import DamageError
from sessions.context.selectors.contexts import ContextPoint, load_context
from sessions.models import Transcript
from sessions.weights.selectors import message_weights, weight_table

logger = logging.getLogger(__name__)


def compactions_measure(transcript: Transcript) -> None:
    """Measures the compactions of a session after its parts were measured."""
    for compaction in Compaction.objects.filter(transcript=transcript):
        try:
            compaction_measure(compaction)
        except DamageError as error:
            logger.warning("The sizes of compaction %s are not measured: %s", compaction.number, error)


def compaction_measure(compaction: Compaction) -> None:
    transcript = compaction.transcript
    context = load_context(transcript, ContextPoint(compaction.position, compaction.link))
    weights = message_weights(context, weight_table(transcript))
    after = load_stored_context(compaction).after
    sizes = measure_sizes(context, weights, after, compaction.report.get("cache_edits", ())).to_json()
    if sizes != compaction.sizes:
        compaction.sizes = sizes
        compaction.save(update_fields=["sizes"])
