"""What the client adds to the first prompt of a conversation."""

from __future__ import annotations

from tests.demo.story import context
from tests.demo.story.session import Session
from tests.demo.story.workspace import HOME


def opening(session: Session, day: str, status: str) -> None:
    listings = (
        context.environment(),
        context.model(session.model),
        context.deferred_tools(context.DEFERRED),
        context.agent_listing(),
        context.skill_listing(),
    )
    for attachment in listings:
        session.attach(attachment)
    session.attach(context.instructions(session.files.files[f"{HOME}/CLAUDE.md"]))
    session.attach(context.session_context(status))
    session.attach(context.date(day))
    # The log of requests has the tools, if there is one.
    session.attach((session.head.snapshot(with_tools=not session.log), {}))
    if session.log:
        session.log.pending = session.log.note(session, blobs=2)
