"""Compares the migrations of the database with those of this program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper

Names = tuple[tuple[str, str], ...]
"""Pairs of app and migration."""


@dataclass(frozen=True, slots=True)
class Schema:
    """Names as `app.0001_initial`, in the order of application."""

    applied: tuple[str, ...]
    pending: tuple[str, ...]
    unknown: tuple[str, ...]
    """Applied by a newer program."""


_last: tuple[Names, Schema] | None = None


def read_schema(connection: BaseDatabaseWrapper) -> Schema:
    """Needs two small queries; compares again only if the database has changed."""
    global _last
    applied = _read_applied(connection)
    if _last is None or _last[0] != applied:
        _last = applied, _current(applied) or _compare(connection)
    return _last[1]


def _read_applied(connection: BaseDatabaseWrapper) -> Names:
    with connection.cursor() as cursor:
        if "django_migrations" not in connection.introspection.table_names(cursor):
            return ()
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY id")
        return tuple((app, name) for app, name in cursor.fetchall())


def _current(applied: Names) -> Schema | None:
    """The schema of an up-to-date database. Every command needs it, so this loads no migration."""
    folders = {config.label: Path(config.path) / "migrations" for config in apps.get_app_configs()}
    on_disk = {(label, module.name) for label, folder in folders.items() for module in iter_modules([str(folder)])}
    ours = [key for key in applied if key[0] in folders]
    return Schema(_full_names(ours), (), ()) if set(ours) == on_disk else None


def _compare(connection: BaseDatabaseWrapper) -> Schema:
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    loader = executor.loader
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    known_keys = set(loader.disk_migrations) | replaced
    ours = [key for key in loader.applied_migrations if key[0] in loader.migrated_apps]
    plan = executor.migration_plan(loader.graph.leaf_nodes())
    return Schema(
        applied=_full_names(ours),
        pending=_full_names((migration.app_label, migration.name) for migration, _ in plan),
        unknown=_full_names(key for key in ours if key not in known_keys),
    )


def _full_names(names: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{app}.{name}" for app, name in names)
