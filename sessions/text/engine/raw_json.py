"""Shows a raw record to people, indented if it is JSON."""

from __future__ import annotations

import orjson

from sessions.imports.engine.broken_lines import parse_object


def indent_json(data: bytes) -> str:
    try:
        return orjson.dumps(parse_object(data), option=orjson.OPT_INDENT_2).decode()
    except (ValueError, TypeError, RecursionError):
        return data.decode("utf-8", "replace")
