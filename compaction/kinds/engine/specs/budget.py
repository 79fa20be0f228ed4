"""Result budget: texts of results that are too large go into files."""

from __future__ import annotations

from dataclasses import replace

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.spec import KindSpec
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig, limit_tool_results


def _apply(job: Job, config: BudgetConfig) -> CompactionResult:
    outcome = limit_tool_results(job.messages, config, counter=job.counter)
    records = (outcome.state.to_record(job.session_id),) if outcome.persisted else ()
    return replace(job.report(outcome, records), persisted=outcome.persisted)


BUDGET = KindSpec(
    name="budget",
    title="Result budget",
    removes="Results that are too large. Each moves to a file.",
    loses="Nothing: a preview and the path stay.",
    apply=_apply,
    config=BudgetConfig(),
    first_fields=("per_result", "per_message", "preview", "per_tool"),
    hidden_fields=("enabled", "path"),
    path_setting="path",
)
