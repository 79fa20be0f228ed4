from __future__ import annotations

from django.apps import AppConfig

REPAIR_LOST = "Its worker ended while it ran. What it has repaired stays; the next one goes on with the rest."
REPAIR_KILLED = "What it has repaired stays. The rest is repaired by the next one."


class InspectorConfig(AppConfig):
    name = "inspector"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inspector.runs.kinds import RunKind, run_kind_register

        # As dotted paths, not imports: most processes do none of this work.
        run_kind_register(
            RunKind(
                name="check archive",
                title="Check the archive",
                work="inspector.checks.services.archive_check",
                description="Reads everything that is archived back and compares it with its hash. Changes no content.",
                button="Check the archive",
                single=True,
                keep=50,
            )
        )
        run_kind_register(
            RunKind(
                name="repair archive",
                title="Repair the archive",
                work="inspector.checks.services.archive_repair",
                description="Checks the same, and writes what is damaged anew where the agent's files still hold it.",
                button="Repair the archive",
                single=True,
                keep=50,
                when_lost=REPAIR_LOST,
                when_killed=REPAIR_KILLED,
            )
        )
