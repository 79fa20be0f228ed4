"""From the API's counts of whole prompts to the tokens of their parts.

The API counts a prompt only as a whole, but it does so again and again while a conversation grows: the prompt of one
request less that of the request before it, less what was answered, is exactly what came in between. `Ledger` follows
the requests of a conversation and keeps these differences; `rates` shares them out among the parts of a group, and
estimates what was never counted.
"""

from __future__ import annotations

from sessions.weights.engine.boundary_size import BoundarySize
from sessions.weights.engine.context_weights import ContextWeights, weigh_context
from sessions.weights.engine.conversation import PartKey, PartReader
from sessions.weights.engine.features import Content, Features, features_of
from sessions.weights.engine.ledger import Count, Ledger, Part, Sizing
from sessions.weights.engine.prompt_size import PromptSize, StoredSize
from sessions.weights.engine.rates import Rates, estimate_text
from sessions.weights.engine.table import WeightTable
from sessions.weights.engine.weight import Basis, Weight, combine

__all__ = [
    "Basis",
    "BoundarySize",
    "Content",
    "ContextWeights",
    "Count",
    "Features",
    "Ledger",
    "Part",
    "PartKey",
    "PartReader",
    "PromptSize",
    "Rates",
    "Sizing",
    "StoredSize",
    "Weight",
    "WeightTable",
    "combine",
    "estimate_text",
    "features_of",
    "weigh_context",
]
