"""Fields of a config. Besides its default, each has the texts for forms and the command line."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

Value = TypeVar("Value")


def setting(default: Value, help: str, *, label: str = "", most: float | None = None) -> Value:
    """`label`: for forms that show it first; `most`: the largest number that makes sense."""
    return field(default=default, metadata={"help": help, "label": label, "most": most})
