from __future__ import annotations

from django.apps import AppConfig

CACHE_LOST = "Its worker ended while it ran. What it has found stays; the next one goes on with the other sessions."
CACHE_KILLED = "What it has found stays. The other sessions are looked into by the next one."


class CompactionConfig(AppConfig):
    name = "compaction"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inspector.runs.kinds import RunKind, run_kind_register
        from memory.notes.services.mechanical import mechanical_notes_register
        from sessions.imports.services.after_import import after_import_register
        from sessions.weights.services.after_weighing import after_weighing_register

        after_weighing_register("compaction.kinds.services.sizes.compactions_measure")
        after_import_register("compaction.export.services.link_exports_to_origin")
        mechanical_notes_register("compaction.mechanisms.engine.mechanical.notes_sections")
        run_kind_register(
            RunKind(
                name="compaction",
                title="Compaction",
                work="compaction.kinds.services.runs.compaction_run",
                confirm="compaction.kinds.views.compact.confirmation_of",
            )
        )
        run_kind_register(
            RunKind(
                name="questions",
                title="Questions at once",
                work="compaction.questions.services.questions_run",
                confirm="compaction.questions.views.confirmation_of",
            )
        )
        run_kind_register(
            RunKind(
                name="cache diff",
                title="Prompt cache",
                work="compaction.cache.services.runs.cache_diffs_run",
                description=(
                    "Looks for breaks of the prompt cache in all sessions that have changed, and for their causes."
                ),
                button="Look into the prompt cache",
                single=True,
                keep=100,
                when_lost=CACHE_LOST,
                when_killed=CACHE_KILLED,
            )
        )
