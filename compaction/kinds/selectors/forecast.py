"""Predicts the result of a compaction without making it: nothing is written, and no model is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compaction.kinds.engine import CompactionResult, KindError, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.sizes import CompactionSizes, measure_sizes
from compaction.kinds.engine.token_cost import RequestWeigher
from compaction.kinds.selectors import compactable_messages
from compaction.kinds.selectors.notes_being_taken import foresee_notes
from compaction.kinds.selectors.overrides import add_overrides
from compaction.kinds.selectors.recorded_effects import recorded_effects
from compaction.mechanisms.engine import Effects
from compaction.pins.selectors import pinned_elsewhere
from compaction.trail.selectors.links import last_refusal
from sessions.context.engine import Context
from sessions.context.engine.tally import system_tally
from sessions.models import Transcript
from sessions.usage.engine.price_forecast import Weight
from sessions.weights.selectors import message_weights, weight_table


@dataclass(frozen=True, slots=True)
class Forecast:
    applied: CompactionResult | None
    """With a mechanical summary, also where a model would write it. None if it cannot be done."""
    refused: str = ""
    """Why it cannot."""
    weights: tuple[Weight, ...] = ()
    """Of the requests to a model, in order."""
    sizes: CompactionSizes | None = None
    """As measured; what decides is the client's own estimate in `applied`."""

    @property
    def tokens_freed(self) -> int:
        return 0 if self.sizes is None else round(self.sizes.before.weight.tokens - self.sizes.after.weight.tokens)

    @property
    def tokens_added(self) -> int:
        """How much larger the context becomes: a client compacts even then."""
        return max(0, -self.tokens_freed)


def forecast(
    transcript: Transcript,
    context: Context,
    kind: KindSpec,
    parameters: Parameters,
    *,
    asks_model: bool,
    shared: bool,
    now_ms: int,
) -> Forecast:
    """`asks_model`: whether a model will write the summary; `shared`: as a fork of the session's own request."""
    messages = compactable_messages(context)
    table = weight_table(transcript)
    parameters = add_overrides(kind, parameters, transcript, table)
    overhead = system_tally(context.setup.system, context.setup.tools).total
    weights = message_weights(context, table)
    weigher = RequestWeigher(weights) if asks_model and kind.summarises else None
    if weigher is not None and not shared and kind.can_fork:
        parameters = replace(parameters, settings={"fork": "off", **parameters.settings})
    effects = replace(
        recorded_effects(transcript, context, messages) if kind.runs_hooks else Effects(),
        pinned=frozenset(parameters.pinned),
        pinned_elsewhere=pinned_elsewhere(transcript, context, parameters.pinned) if kind.runs_hooks else (),
        summarise=weigher,
        read_notes=lambda: foresee_notes(transcript, context.position),
    )
    try:
        applied = apply_kind(
            kind,
            messages,
            parameters,
            effects=effects,
            now=now_ms / 1000,
            model=context.model,
            overhead=overhead,
            session_id=transcript.session_id,
            error=last_refusal(transcript, context.position) if kind.automatic else "",
        )
    except KindError as error:
        return Forecast(None, str(error))
    sizes = measure_sizes(context, weights, applied.after, applied.cache_edits)
    return Forecast(applied, weights=tuple(weigher.weights) if weigher else (), sizes=sizes)
