"""The project: settings, URLs, startup, and what all apps share."""

from __future__ import annotations

__version__ = "0.2.0"
