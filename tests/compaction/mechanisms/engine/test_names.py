"""What the library exports, and that it can be had without the web application."""

from __future__ import annotations

import subprocess
import sys

import compaction.mechanisms.engine

NAMES = [
    "AttachmentConfig",
    "AutoCompactConfig",
    "BackgroundAgent",
    "Boundary",
    "BudgetConfig",
    "CachedConfig",
    "Change",
    "ChangeKind",
    "CollapseConfig",
    "Compaction",
    "Direction",
    "Effects",
    "FullConfig",
    "Hooks",
    "MicrocompactConfig",
    "Notes",
    "Occasion",
    "Outcome",
    "PipelineConfig",
    "PipelineOutcome",
    "PipelineReport",
    "PipelineState",
    "Plan",
    "PromptTooLongError",
    "Report",
    "SessionMemoryConfig",
    "Skill",
    "SnipConfig",
    "Summarise",
    "SummariseError",
    "SummaryRequest",
    "Surroundings",
    "TimedConfig",
    "Trigger",
    "compact_now",
    "full_compact",
    "legal_pivots",
    "partial_compact",
    "read_too_long",
    "recover",
    "run_pipeline",
    "session_memory_compact",
]


def test_the_exported_names_are_these() -> None:
    assert compaction.mechanisms.engine.__all__ == NAMES
    assert all(hasattr(compaction.mechanisms.engine, name) for name in NAMES)


def test_it_needs_neither_django_nor_the_inspector() -> None:
    program = (
        "import sys, compaction.mechanisms.engine; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'django', 'celery', 'inspector', 'structlog'}))"
    )
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert outcome.stdout.strip() == "[]"
