"""Ids for messages that a mechanism adds. They are derived from its input, so that the same input gives the same
bytes."""

from __future__ import annotations

from uuid import UUID, uuid5

NAMESPACE = UUID("6f1d0c1e-6b52-4c0a-9a53-0d3c3a0f7a11")


def derived_id(*parts: str) -> str:
    return str(uuid5(NAMESPACE, "\x1f".join(parts)))
