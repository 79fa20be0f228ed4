"""The messages between the agents of a session, in order of time."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.agents.engine import Mail, Spot
from sessions.agents.engine.mail import (
    CALLS,
    Book,
    Post,
    mailed,
)
from sessions.agents.selectors.tree import Agent, Kin
from sessions.models import Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import EntryRow
from sessions.transcripts.selectors.family import MOST, Family

_SAID = int(Flag.RESULT | Flag.SUMMARY | Flag.COMMAND | Flag.COPY | Flag.DUPLICATE)
_COPIED = int(Flag.COPY | Flag.DUPLICATE)


@dataclass(frozen=True, slots=True)
class Exchange:
    mails: tuple[Mail, ...]
    agents: dict[str, Agent]
    commands: int
    """Notices of commands in the background, which are left out."""
    cut: bool
    """There were more records than are looked through."""
    damage: dict[str, Transcript]
    """What could not be read of whose file."""


def exchange_of(session: Transcript, now: int) -> Exchange:
    kin = Kin(session)
    agents = kin.agents(now)
    family = kin.family
    rows, cut = _telling(family)
    within = {position: one.key for one in kin.inside for position in one.positions}
    post = Post(Book({one.key for one in agents}, kin.started))
    rank = {one.transcript.pk: at for at, one in reversed([*enumerate(agents, 1)])} | {session.pk: 0}
    times: dict[int, int] = {}
    for row, record in _in_order(family, rows, rank):
        if row.at is not None:
            times[row.transcript_id] = row.at
        # A record without a time was written after the one before it.
        spot = Spot(family.agent_of(row) or within.get(row.position, ""), row.position, times.get(row.transcript_id))
        post.read(record, spot)
    return Exchange(tuple(mailed(post.mails)), {one.key: one for one in agents}, post.commands, cut, family.damage)


def _telling(family: Family) -> tuple[list[EntryRow], bool]:
    """The records that can be a message: calls, their results, and what was said by others than a person."""
    marks = ",".join(["%s"] * len(CALLS))
    calls = family.find(f"e.type = 'assistant' AND e.detail IN ({marks}) AND (e.flags & %s) = 0", (*CALLS, _COPIED))
    told = family.find(
        "e.type = 'queue-operation' OR (e.type = 'attachment' AND e.detail = 'queued_command')"
        " OR (e.type = 'user' AND (e.flags & %s) = 0"
        # What an agent hears first is its task, which its call tells.
        f" AND (t.parent_id IS NULL OR e.id > (t.id << {POSITION_BITS})))",
        (_SAID,),
    )
    return [*calls, *family.find_results(calls), *told], MOST in (len(calls), len(told))


def _in_order(family: Family, rows: list[EntryRow], rank: dict[int, int]) -> list[tuple[EntryRow, dict[str, object]]]:
    """Of each file in its order, and the files of those who start agents first."""
    found = list(family.read_records(set(rows)))
    return sorted(found, key=lambda one: (rank.get(one[0].transcript_id, 0), one[0].position))
