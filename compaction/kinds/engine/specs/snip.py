"""Snip: removes whole turns."""

from __future__ import annotations

from dataclasses import replace

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.kinds.engine.spec import Instructions, KindError, KindSpec
from compaction.mechanisms.engine.conversation.turns import turns_of
from compaction.mechanisms.engine.snip.removal import SnipConfig, short_id, snip


def _apply(job: Job, config: SnipConfig) -> CompactionResult:
    if not job.parameters.ids:
        raise KindError("A snip needs the ids of the turns that should go: short ids, or uuids of what was typed.")
    uuids = {message.uuid for message in job.messages}
    ids = [short_id(name) if name in uuids else name for name in job.parameters.ids]
    held = {
        short_id(job.messages[turn.first].uuid)
        for turn in turns_of(job.messages)
        if job.holds_pinned(job.messages[index].uuid for index in turn.messages)
    }
    free = [name for name in ids if name not in held]
    outcome = snip(job.messages, free, config, reason=job.parameters.instructions, counter=job.counter)
    applied = job.report(outcome, tuple(outcome.state.to_records(job.session_id)) if outcome.report.applied else ())
    stays = "".join(f" {name} stays: a message of its turn is pinned." for name in ids if name in held)
    return replace(applied, why=f"{applied.why}{stays}")


SNIP = KindSpec(
    name="snip",
    title="Snip",
    removes="Whole turns that you pick.",
    loses="Those turns.",
    apply=_apply,
    config=SnipConfig(),
    hidden_fields=("enabled", "nudge_every"),  # the reminder is meant for the agent, which is not here
    picks_turns=True,
    choice_title="Turns that go",
    choice_hint="A turn is what you typed and everything that came of it, up to what you typed next.",
    instructions=Instructions("Why", "Kept with the record of the snip"),
)
