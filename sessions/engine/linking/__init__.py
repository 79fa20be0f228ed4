"""Linking: from rows of one file to its active branch, marks and branches; and from files to agents."""

from __future__ import annotations

from sessions.engine.linking.agents import AgentNode, AgentTree, agent_tree
from sessions.engine.linking.evidence import AgentFacts, How, Sighting, sightings
from sessions.engine.linking.forks import Holder, owner
from sessions.engine.linking.link import link
from sessions.engine.linking.linked import Branch, InlineAgent, Linked
from sessions.engine.linking.rows import LinkRow, needs_record, records_wanted
from sessions.engine.linking.state import LinkState, advance

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
