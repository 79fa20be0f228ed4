"""Linking: from rows of one file to its active branch, marks and branches; and from files to agents."""

from __future__ import annotations

from sessions.linking.engine.agents import AgentNode, AgentTree, agent_tree
from sessions.linking.engine.evidence import (
    AgentFacts,
    How,
    Sighting,
    sightings,
)
from sessions.linking.engine.forks import Holder, owner
from sessions.linking.engine.link import link
from sessions.linking.engine.linked import Branch, InlineAgent, Linked
from sessions.linking.engine.rows import LinkRow, needs_record, records_wanted
from sessions.linking.engine.state import LinkState, advance

__all__ = [
    "AgentFacts",
    "AgentNode",
    "AgentTree",
    "Branch",
    "Holder",
    "How",
    "InlineAgent",
    "LinkRow",
    "LinkState",
    "Linked",
    "Sighting",
    "advance",
    "agent_tree",
    "link",
    "needs_record",
    "owner",
    "records_wanted",
    "sightings",
]
