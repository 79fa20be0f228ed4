"""Loads the messages between the agents of a session, by time."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.agents.engine import Mail, RecordPosition
from sessions.agents.engine.mail import MAIL_TOOLS, AddressBook, MailReader, merge_copies
from sessions.agents.selectors.tree import Agent, AgentHistory
from sessions.models import Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import EntryRow
from sessions.transcripts.selectors.family import MOST, Family

_NO_MESSAGE = int(Flag.RESULT | Flag.SUMMARY | Flag.COMMAND | Flag.COPY | Flag.DUPLICATE)
_COPIED = int(Flag.COPY | Flag.DUPLICATE)


@dataclass(frozen=True, slots=True)
class Correspondence:
    mails: tuple[Mail, ...]
    agents: dict[str, Agent]
    commands: int
    """How many notices of background commands were left out."""
    cut: bool
    """There are more records than are searched."""
    damage: dict[str, Transcript]
    """Descriptions of damage, with the transcripts that have it."""


def load_correspondence(session: Transcript, now: int) -> Correspondence:
    history = AgentHistory(session)
    agents = history.agents(now)
    family = history.family
    rows, cut = _find_message_rows(family)
    inline_agents = {position: agent.key for agent in history.inline_agents for position in agent.positions}
    post = MailReader(AddressBook({agent.key for agent in agents}, history.started))
    rank = {agent.transcript.pk: index for index, agent in reversed([*enumerate(agents, 1)])} | {session.pk: 0}
    times: dict[int, int] = {}
    for row, record in _read_in_order(family, rows, rank):
        if row.at is not None:
            times[row.transcript_id] = row.at
        # A record without a time gets the time of the record before it.
        spot = RecordPosition(
            family.agent_of(row) or inline_agents.get(row.position, ""), row.position, times.get(row.transcript_id)
        )
        post.read(record, spot)
    return Correspondence(
        tuple(merge_copies(post.mails)), {agent.key: agent for agent in agents}, post.commands, cut, family.damage
    )


def _find_message_rows(family: Family) -> tuple[list[EntryRow], bool]:
    """Rows that may hold a message: calls, their results, and text that no person wrote. The flag: too many."""
    marks = ",".join(["%s"] * len(MAIL_TOOLS))
    calls = family.find(
        f"e.type = 'assistant' AND e.detail IN ({marks}) AND (e.flags & %s) = 0", (*MAIL_TOOLS, _COPIED)
    )
    messages = family.find(
        "e.type = 'queue-operation' OR (e.type = 'attachment' AND e.detail = 'queued_command')"
        " OR (e.type = 'user' AND (e.flags & %s) = 0"
        # The first record of an agent is its task, which is also in the call.
        f" AND (t.parent_id IS NULL OR e.id > (t.id << {POSITION_BITS})))",
        (_NO_MESSAGE,),
    )
    return [*calls, *family.find_results(calls), *messages], MOST in (len(calls), len(messages))


def _read_in_order(
    family: Family, rows: list[EntryRow], rank: dict[int, int]
) -> list[tuple[EntryRow, dict[str, object]]]:
    """In file order, and files of agents that start others first."""
    records = list(family.read_records(set(rows)))
    return sorted(records, key=lambda item: (rank.get(item[0].transcript_id, 0), item[0].position))
