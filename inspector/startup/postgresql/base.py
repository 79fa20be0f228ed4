"""Writes a replacement character where PostgreSQL would refuse one, instead of failing."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.string import StrDumperUnknown

from sessions.text.engine.storable import storable_json, storable_text


class TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> bytes:
        return storable_text(obj).encode()


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
