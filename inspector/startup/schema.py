"""Which migrations the database has, against those that this program knows."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder


@dataclass(frozen=True, slots=True)
class Schema:
    """Names as `app.0001_initial`, in the order in which they were or would be applied."""

    applied: tuple[str, ...]
    pending: tuple[str, ...]
    unknown: tuple[str, ...]
    """Applied by a program that is newer than this one."""

    @property
    def is_current(self) -> bool:
        return not self.pending and not self.unknown


_last: tuple[frozenset[tuple[str, str]], Schema] | None = None


def read_schema(connection: BaseDatabaseWrapper) -> Schema:
    """Two small queries; the comparison itself is done again only when the database has changed."""
    global _last
    applied = frozenset(MigrationRecorder(connection).applied_migrations())
    if _last is None or _last[0] != applied:
        _last = applied, _compare(connection)
    return _last[1]


def _compare(connection: BaseDatabaseWrapper) -> Schema:
    executor = MigrationExecutor(connection)
    loader = executor.loader
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    known = set(loader.disk_migrations) | replaced
    ours = [key for key in loader.applied_migrations if key[0] in loader.migrated_apps]
    plan = executor.migration_plan(loader.graph.leaf_nodes())
    return Schema(
        applied=tuple(f"{app}.{name}" for app, name in ours),
        pending=tuple(f"{migration.app_label}.{migration.name}" for migration, _ in plan),
        unknown=tuple(f"{app}.{name}" for app, name in ours if (app, name) not in known),
    )
