"""Queries that every page of a session needs. Django builds the SQL of a query each time, column by column, which takes
several times as long as SQLite's answer. Here it is built once for each connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)


class Slot(Expression):
    """The place of a value that is known when the query runs."""

    def __init__(self, name: str, field: Field[Any, Any]) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class PreparedQuery(Generic[M]):
    def __init__(self, make: Callable[[], QuerySet[M]]) -> None:
        """`make`: makes the query, with slots."""
        self._make = make

    def rows(self, **values: str | int | None) -> list[M]:
        connection = connections[DEFAULT_DB_ALIAS]
        # Kept with the connection, so that they are dropped together.
        plans: dict[PreparedQuery[M], _Plan[M]] = vars(connection).setdefault("lucid_plans", {})
        plan = plans.get(self)
        if plan is None:
            plan = plans[self] = _Plan(self._make(), connection)
        return plan.rows(values)


class _Plan(Generic[M]):
    """A query for one connection, and how its rows become objects."""

    def __init__(self, queryset: QuerySet[M], connection: BaseDatabaseWrapper) -> None:
        compiler = queryset.query.get_compiler(connection=connection)
        self._sql, self._parameters = compiler.as_sql()
        self._compiler = compiler
        self._model: type[M] = compiler.klass_info["model"]
        columns = compiler.klass_info["select_fields"]
        self._own = slice(columns[0], columns[-1] + 1)
        self._names = [column[0].target.attname for column in compiler.select[self._own]]
        # The type stubs are of a later Django, which takes one more argument.
        self._related = get_related_populators(  # type: ignore[call-arg]
            compiler.klass_info, compiler.select, connection.alias
        )
        self._converters = compiler.get_converters([column[0] for column in compiler.select])

    def rows(self, values: dict[str, str | int | None]) -> list[M]:
        connection = self._compiler.connection
        parameters = [
            values[parameter.name] if isinstance(parameter, Slot) else parameter for parameter in self._parameters
        ]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, parameters)
            rows = cursor.fetchall()
        objects: list[M] = []
        for row in self._compiler.apply_converters(rows, self._converters) if self._converters else rows:
            instance = self._model.from_db(connection.alias, self._names, row[self._own])
            for related in self._related:
                related.populate(row, instance)
            objects.append(instance)
        return objects
