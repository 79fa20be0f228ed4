"""A primary key that we compute ourselves. On SQLite it must be declared INTEGER to be the row's own number: Django's
BigIntegerField would get a second tree beside the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _BigInteger = models.BigIntegerField[int, int]
else:
    _BigInteger = models.BigIntegerField


class RowIdField(_BigInteger):
    def db_type(self, connection: Any) -> str | None:
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)
