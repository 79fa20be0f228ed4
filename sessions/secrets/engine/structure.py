"""Masks secrets in decoded JSON. There the name of a value is certain, so any value with a secret's name is masked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from sessions.secrets.engine.marker import MASK, is_placeholder

_NAME = re.compile(
    r"(?:.*[-_.])?(?:api[-_]?key|apikey|access[-_]?key(?:[-_]?id)?|private[-_]?key|secret(?:[-_]?(?:access[-_]?)?key)?"
    r"|(?:[a-z]+[-_]?)?(?:token|secret|password|passwd|pwd|passphrase)|(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie"
    r"|credentials?)",
    re.IGNORECASE,
)
_DEEPEST = 100

Mask = Callable[[str], str]


def mask_structure(value: Any, mask: Mask, depth: int = 0) -> Any:
    """The same structure with every text masked. Values with a secret's name are masked whole."""
    if isinstance(value, str):
        return mask(value)
    if depth > _DEEPEST:
        return mask(json.dumps(value)) if isinstance(value, dict | list) else value
    if isinstance(value, dict):
        return _mask_names([(name, _mask_named(name, item, mask, depth)) for name, item in value.items()], mask)
    return [mask_structure(item, mask, depth + 1) for item in value] if isinstance(value, list) else value


def mask_named_values(value: Any) -> Any:
    """Masks only values with a secret's name; texts are masked where they are shown."""
    return mask_structure(value, str)


def _mask_named(name: str, value: Any, mask: Mask, depth: int) -> Any:
    if isinstance(value, str) and value and _NAME.fullmatch(name[:80]) and not is_placeholder(value):
        return MASK
    return mask_structure(value, mask, depth + 1)


def _mask_names(pairs: list[tuple[str, Any]], mask: Mask) -> dict[str, Any]:
    """Masks the names too. Names that are equal after masking get a number."""
    renamed: dict[str, Any] = {}
    for name, value in pairs:
        masked = mask(name)
        renamed[masked if masked not in renamed else f"{masked} ({len(renamed)})"] = value
    return renamed
