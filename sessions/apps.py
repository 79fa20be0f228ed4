from __future__ import annotations

from django.apps import AppConfig

IMPORT_LOST = "The import was cut off. Nothing is lost: the next one reads on where it stopped."
IMPORT_KILLED = (
    "What it has read stays. Files that change are still followed; the rest is read when it is retried, or when Lucid "
    "starts the next time."
)

WEIGHTS_LOST = "What it has measured stays. The rest is measured after the next import."


class SessionsConfig(AppConfig):
    # Django's own session framework already has the label "sessions".
    name = "sessions"
    label = "transcripts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inspector.runs.kinds import RunKind, run_kind_register
        from sessions.imports.services.shared.import_workers import import_workers_register

        # Named, not imported: most processes do none of this work.
        import_workers_register("sessions.imports.services.shared.celery_workers.workers")
        run_kind_register(
            RunKind(
                name="import",
                title="Import",
                work="sessions.imports.services.import_runs.import_again",
                keep=50,
                own_card=True,
                when_lost=IMPORT_LOST,
                when_killed=IMPORT_KILLED,
            )
        )
        run_kind_register(
            RunKind(
                name="agent summary",
                title="Agent summary",
                work="sessions.agents.services.agent_summaries_run",
                confirm="sessions.agents.views.summaries.confirmation_of",
                keep=200,
            )
        )
        run_kind_register(
            RunKind(
                name="token weights",
                title="Token counts",
                work="sessions.weights.services.weighing.weights_run",
                single=True,
                keep=50,
                when_lost=WEIGHTS_LOST,
                when_killed=WEIGHTS_LOST,
            )
        )
