"""Marks views that return a file: part of a file must never pass for the whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])
_MARK = "lucid_sends_file"


def sends_file(view: View) -> View:
    setattr(view, _MARK, True)
    return view


def is_file_view(view: Callable[..., Any]) -> bool:
    return bool(getattr(view, _MARK, False))
