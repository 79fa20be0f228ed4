"""Finds the active branch, marks and other branches of a file from its rows, and the agents of a session from its
files."""

from __future__ import annotations

from sessions.linking.engine.agents import AgentNode, AgentTree, build_agent_tree
from sessions.linking.engine.evidence import AgentFacts, Evidence, Sighting, find_sightings
from sessions.linking.engine.link import link
from sessions.linking.engine.linked_transcript import Branch, InlineAgent, LinkedTranscript
from sessions.linking.engine.rows import LinkRow, link_row, needs_record, positions_to_read
from sessions.linking.engine.state import LinkState, advance

__all__ = [
    "AgentFacts",
    "AgentNode",
    "AgentTree",
    "Branch",
    "Evidence",
    "InlineAgent",
    "LinkRow",
    "LinkState",
    "LinkedTranscript",
    "Sighting",
    "advance",
    "build_agent_tree",
    "find_sightings",
    "link",
    "link_row",
    "needs_record",
    "positions_to_read",
]
