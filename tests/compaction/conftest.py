from __future__ import annotations

from tests.model_fixtures import home, server

__all__ = ["home", "server"]
