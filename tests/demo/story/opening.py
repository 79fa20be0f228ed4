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
    claude = session.files.files[f"{HOME}/CLAUDE.md"]
    if session.log:
        texts = [context.instructions(claude)[1]["rendered"][0]["content"], session.last_prompt]
        content = context.environment()[1]["rendered"][0]["content"]
        user = {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}
        session.log.pending = session.log.note(
            session, (user, {"role": "system", "content": [{"type": "text", "text": content}]})
        )
    session.attach(context.instructions(claude))
    session.attach(context.session_context(status))
    session.attach(context.date(day))
    if session.log:
        session.attach((session.log.snapshot(), {}), weighs=False)
