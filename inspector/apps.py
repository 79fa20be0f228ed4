from __future__ import annotations

from django.apps import AppConfig

IMPORT_LOST = "The import was cut off. Nothing is lost: the next one reads on where it stopped."

IMPORT_KILLED = (
    "What it has read stays. Files that change are still followed; the rest is read when it is retried, or when Lucid "
    "starts the next time."
)


DREAM_LOST = (
    "Its worker ended while it ran. Memory is as it was: it worked on a copy, and the next one puts the lock back."
)

DREAM_KILLED = "Memory is as it was: it worked on a copy, and the lock says again when memory was last consolidated."


CACHE_LOST = "Its worker ended while it ran. What it has found stays; the next one goes on with the other sessions."
CACHE_KILLED = "What it has found stays. The other sessions are looked into by the next one."


REPAIR_LOST = "Its worker ended while it ran. What it has repaired stays; the next one goes on with the rest."
REPAIR_KILLED = "What it has repaired stays. The rest is repaired by the next one."


class InspectorConfig(AppConfig):
    name = "inspector"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inspector.services.run_kinds import Kind, kind_register
        from sessions.services.import_workers import import_workers_register

        # Named, not imported: most processes do none of this work.
        import_workers_register("inspector.services.import_workers.workers")
        kind_register(
            Kind(
                name="import",
                title="Import",
                work="inspector.services.imports.import_again",
                keep=50,
                when_lost=IMPORT_LOST,
                when_killed=IMPORT_KILLED,
            )
        )
        kind_register(
            Kind(
                name="check archive",
                title="Check the archive",
                work="inspector.services.checks.archive_check",
                about="Reads everything that is archived back and compares it with its hash. Changes no content.",
                verb="Check the archive",
                single=True,
                keep=50,
            )
        )
        kind_register(
            Kind(
                name="repair archive",
                title="Repair the archive",
                work="inspector.services.checks.archive_repair",
                about="Checks the same, and writes what is damaged anew where the agent's files still hold it.",
                verb="Repair the archive",
                single=True,
                keep=50,
                when_lost=REPAIR_LOST,
                when_killed=REPAIR_KILLED,
            )
        )
        kind_register(
            Kind(
                name="agent summary",
                title="Agent summary",
                work="inspector.services.agent_summaries.agent_summaries_run",
                keep=200,
            )
        )
        kind_register(Kind(name="notes", title="Session notes", work="inspector.services.notes.notes_run", single=True))
        kind_register(
            Kind(
                name="extraction", title="Extraction of memories", work="inspector.services.extractions.extraction_run"
            )
        )
        for name, title in (("dream", "Dream"), ("tidy", "Tidy")):
            kind_register(
                Kind(
                    name=name,
                    title=title,
                    work="inspector.services.dreams.dream_run",
                    single=True,
                    when_lost=DREAM_LOST,
                    when_killed=DREAM_KILLED,
                )
            )
        kind_register(
            Kind(
                name="cache diff",
                title="Prompt cache",
                work="inspector.services.cache_diffs.cache_diffs_run",
                about="Looks for breaks of the prompt cache in all sessions that have changed, and for their causes.",
                verb="Look into the prompt cache",
                single=True,
                keep=100,
                when_lost=CACHE_LOST,
                when_killed=CACHE_KILLED,
            )
        )
        kind_register(Kind(name="compaction", title="Compaction", work="inspector.services.compactions.compaction_run"))
        kind_register(Kind(name="recall", title="Recall", work="inspector.services.recalls.recall_run", keep=200))
        kind_register(
            Kind(
                name="recall evaluation",
                title="Recall evaluation",
                work="inspector.services.recall_evaluations.evaluation_run",
                single=True,
                keep=100,
            )
        )
