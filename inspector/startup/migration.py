"""Applies each migration in one transaction together with its record, so that an interrupted one leaves nothing. Django
uses two transactions, and a process that dies between them could never start again."""

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
        # SQLite rebuilds tables that others refer to; foreign keys can only be switched off outside a transaction.
        unchecked = self.connection.vendor == "sqlite" and self.connection.disable_constraint_checking()
        try:
            with transaction.atomic(using=self.connection.alias):
                return super().apply_migration(state, migration, **arguments)
        finally:
            if unchecked:
                self.connection.enable_constraint_checking()


def migrations_apply() -> None:
    """Applies all pending migrations. One that fails leaves nothing; those before it stay."""
    executor = WholeMigrations(connection)
    executor.loader.check_consistent_history(connection)
    targets = executor.loader.graph.leaf_nodes()
    executor.migrate(targets, executor.migration_plan(targets))
