"""Variables of the client that change its threshold, as set for a session: in its settings, or in Lucid's
environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.conf import settings

from compaction.hooks.selectors import Origin, client_settings
from compaction.kinds.engine import KindSpec, Parameters
from sessions.models import Transcript
from sessions.usage.engine.tokens import USUAL_WINDOW
from sessions.weights.engine import WeightTable

PERCENT = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_ORDER = (Origin.USER, Origin.PROJECT, Origin.LOCAL, Origin.POLICY)
"""Later ones win, and all of them over the environment."""


@dataclass(frozen=True, slots=True)
class Override:
    name: str
    value: str
    where: str

    @property
    def phrase(self) -> str:
        return f"{self.name}={self.value} in {self.where}"


def overrides_of(transcript: Transcript) -> dict[str, Override]:
    """By name. Values that the client would ignore are left out."""
    overrides = {
        name: Override(name, value, "the environment")
        for name in (PERCENT, WINDOW)
        if (value := str(getattr(settings, name)).strip()) and _counts(name, value)
    }
    for origin, file, content in sorted(client_settings(transcript, []), key=lambda entry: _ORDER.index(entry[0])):
        variables = content.get("env")
        if not isinstance(variables, Mapping):
            continue
        for name in (PERCENT, WINDOW):
            value = str(variables.get(name, "")).strip()
            if _counts(name, value):
                overrides[name] = Override(name, value, f"{file} ({origin})")
    return overrides


def add_overrides(kind: KindSpec, parameters: Parameters, transcript: Transcript, table: WeightTable) -> Parameters:
    """The parameters of an automatic kind with the client's own threshold, unless they say otherwise."""
    if not kind.automatic:
        return parameters
    overrides = overrides_of(transcript)
    chosen = {name.rpartition(".")[2] for name in parameters.settings}
    added = {}
    if (percent := overrides.get(PERCENT)) and "percent" not in chosen:
        added["pipeline.auto.percent"] = percent.value
    if (window := overrides.get(WINDOW)) and "counted_window" not in chosen:
        added["pipeline.auto.counted_window"] = window.value
    phrases = [overrides[name].phrase for name in (PERCENT, WINDOW) if name in overrides]
    if not phrases and "counted_window" not in chosen and table.has_usual_window:
        added["pipeline.auto.counted_window"] = str(USUAL_WINDOW)
        phrases = ["of the usual window, as its compactions show"]
    if not added:
        return parameters
    added["pipeline.auto.origin"] = " and ".join(phrases)
    return replace(parameters, settings={**added, **parameters.settings})


def _counts(name: str, value: str) -> bool:
    if name == WINDOW:
        return value.isascii() and value.isdigit() and int(value) > 0
    try:
        return 0 < float(value) <= 100
    except ValueError:
        return False
