"""Where Django looks for the models of this app. They are defined where their features are."""

from __future__ import annotations

from inspector.runs.models import Moment, Run, Worker
from sessions.models.agent_summary import AgentSummary

__all__ = ["AgentSummary", "Moment", "Run", "Worker"]
