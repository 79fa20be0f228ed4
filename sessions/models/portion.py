"""An import that several processes share: portions of files, as rows that their readers lock."""

from __future__ import annotations

from django.db import models


class SharedImport(models.Model):
    """Exists while the import runs. Helpers stop when the row is gone, or the import's lock is."""

    host = models.TextField(default="")
    """Whose files they are, and whose lock of the import it is."""
    holder = models.IntegerField()
    """The server process of the connection that holds that lock."""

    def __str__(self) -> str:
        return f"shared import {self.pk}"


class Portion(models.Model):
    """Whole files, so that no two processes write rows of one file. A reader keeps the row locked and commits what it
    wrote together with `done`. If it dies, the portion is unchanged and free."""

    shared_import = models.ForeignKey(
        SharedImport, on_delete=models.DO_NOTHING, related_name="portions", db_constraint=False
    )
    jobs = models.BinaryField()
    """As `sessions.imports.services.shared.portions` writes them."""
    worker = models.CharField(max_length=200, default="")
    """The process that read it."""
    done = models.BooleanField(default=False)
    outcome = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"portion {self.pk} of {self.shared_import_id}"
