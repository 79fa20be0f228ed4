"""The current time in the unit in which all times are stored."""

from __future__ import annotations

from django.utils import timezone


def now_ms() -> int:
    return int(timezone.now().timestamp() * 1000)
