"""PostgreSQL stores no NUL character and no half of a surrogate pair, in text or in JSON. Transcripts, file names and
addresses hold both, so they become replacement characters on their way in. The archive keeps the bytes as they were."""

from __future__ import annotations

import re
from typing import Any

from django.db.backends.postgresql import base
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.string import StrDumperUnknown

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)|.)"
)


def storable_text(text: str) -> bytes:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace")


def storable_json(document: str) -> str:
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape.group(1) else escape.group(), document)


class TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> bytes:
        return storable_text(obj)


class DocumentDumper(JsonbDumper):
    def dump(self, obj: Any) -> bytes | None:
        data = super().dump(obj)
        return None if data is None else storable_json(bytes(data).decode()).encode()


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.adapters.register_dumper(str, TextDumper)
        connection.adapters.register_dumper(Jsonb, DocumentDumper)
        return connection
