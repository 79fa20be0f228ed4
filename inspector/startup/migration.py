"""Applies migrations so that one that is cut off leaves nothing: the change of the tables and the note that it was made
are one transaction. Django makes two of them, and what dies in between can never start again."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.state import ProjectState


class WholeMigrations(MigrationExecutor):
    def apply_migration(
        self, state: ProjectState, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> ProjectState:
        arguments: dict[str, Any] = {"fake": fake, "fake_initial": fake_initial}
        # SQLite rebuilds tables that others refer to, and knows how to ignore that only outside a transaction.
        unchecked = self.connection.vendor == "sqlite" and self.connection.disable_constraint_checking()
        try:
            with transaction.atomic(using=self.connection.alias):
                return super().apply_migration(state, migration, **arguments)
        finally:
            if unchecked:
                self.connection.enable_constraint_checking()


def migrations_apply() -> None:
    """All that are pending. One that fails is not there at all; those before it are."""
    executor = WholeMigrations(connection)
    executor.loader.check_consistent_history(connection)
    targets = executor.loader.graph.leaf_nodes()
    executor.migrate(targets, executor.migration_plan(targets))
