"""Tests. Helpers beside them compare too: a failed comparison there shows both sides, as it does in a test."""

from __future__ import annotations

import pkgutil

import pytest

pytest.register_assert_rewrite(*(f"tests.{module.name}" for module in pkgutil.iter_modules(__path__)))
