"""The first block of the real client's system prompt is a header for the bill. Its words change from request to
request, and neither the cache nor what the model signs depends on them."""

from __future__ import annotations

BILLING = "x-anthropic-billing-header"
