"""The first block of the client's system prompt is a billing header. It changes from request to request, and neither
the prompt cache nor signatures of thinking depend on it."""

from __future__ import annotations

BILLING = "x-anthropic-billing-header"
