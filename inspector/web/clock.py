"""The time of a request, in the unit that everything is stored in."""

from __future__ import annotations

from django.utils import timezone


def now_ms() -> int:
    return int(timezone.now().timestamp() * 1000)
