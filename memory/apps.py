from __future__ import annotations

from django.apps import AppConfig

DREAM_LOST = (
    "Its worker ended while it ran. Memory is as it was: it worked on a copy, and the next one puts the lock back."
)
DREAM_KILLED = "Memory is as it was: it worked on a copy, and the lock says again when memory was last consolidated."
NOTES_CONFIRM = "memory.notes.views.notes.confirmation_of"


class MemoryConfig(AppConfig):
    name = "memory"
    label = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inspector.runs.kinds import RunKind, run_kind_register

        run_kind_register(
            RunKind(
                name="notes",
                title="Session notes",
                work="memory.notes.services.runs.notes_run",
                confirm=NOTES_CONFIRM,
                single=True,
            )
        )
        run_kind_register(
            RunKind(
                name="extraction",
                title="Extraction of memories",
                work="memory.extraction.services.runs.extraction_run",
                confirm=NOTES_CONFIRM,
            )
        )
        for name, title in (("dream", "Dream"), ("tidy", "Tidy")):
            run_kind_register(
                RunKind(
                    name=name,
                    title=title,
                    work="memory.dreams.services.dream_run",
                    confirm="memory.dreams.views.confirmation_of",
                    single=True,
                    when_lost=DREAM_LOST,
                    when_killed=DREAM_KILLED,
                )
            )
        run_kind_register(
            RunKind(name="recall", title="Recall", work="memory.recall.services.recalls.recall_run", keep=200)
        )
        run_kind_register(
            RunKind(
                name="recall evaluation",
                title="Recall evaluation",
                work="memory.recall.services.evaluations.evaluation_run",
                single=True,
                keep=100,
            )
        )
