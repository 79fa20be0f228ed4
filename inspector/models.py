"""The models of this app, for Django. Each is defined with its feature."""

from __future__ import annotations

from inspector.runs.models import Moment, Run, Worker
from sessions.models.agent_summary import AgentSummary

__all__ = ["AgentSummary", "Moment", "Run", "Worker"]
