"""The linter: finds problems of a memory directory, and offers fixes. It asks no model."""

from __future__ import annotations

from memory.lint.engine.catalogue import RULES
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.folder_checkout import FolderCheckout
from memory.lint.engine.health import FORMULA, Health, compute_health
from memory.lint.engine.linting import lint
from memory.lint.engine.surroundings import Checkout, Recalls, Surroundings

__all__ = [
    "FORMULA",
    "RULES",
    "Changes",
    "Checkout",
    "Finding",
    "Fix",
    "FolderCheckout",
    "Health",
    "Recalls",
    "Severity",
    "Surroundings",
    "compute_health",
    "lint",
]
