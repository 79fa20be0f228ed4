"""Lint: what is wrong with a memory directory, and what a button could do about it. No model is asked."""

from __future__ import annotations

from memory.engine.lint.catalogue import RULES
from memory.engine.lint.finding import Changes, Finding, Fix, Severity
from memory.engine.lint.folder import FolderCheckout
from memory.engine.lint.health import FORMULA, Health, health
from memory.engine.lint.linting import lint
from memory.engine.lint.surroundings import Checkout, Recalls, Surroundings

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
    "health",
    "lint",
]
