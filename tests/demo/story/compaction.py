"""Compactions as they stand on disk: the boundary, the summary, what was kept word for word, what was read again."""

from __future__ import annotations

from tests.demo.story import context
from tests.demo.story.blocks import Record
from tests.demo.story.ids import uid
from tests.demo.story.session import CAVEAT, Moment, Session, command_text
from tests.demo.story.transcript import SLUG
from tests.demo.story.workspace import HOME

_OPEN = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The summary below covers the earlier portion of the conversation."
)
_RESUME = (
    "Continue the conversation from where it left off without asking the user any further questions. "
    "Pick up the last task as if the break never happened."
)


def summary_text(session: Session, summary: str, resume: bool) -> str:
    used = ", ".join(sorted(session.used))
    note = f"<system-reminder>\n<tools-used-before-summary>{used}</tools-used-before-summary>\n</system-reminder>"
    path = f"/home/dev/.claude/projects/{SLUG}/{session.session}.jsonl"
    hatch = f"If you need specific details from before compaction, read the full transcript at: {path}"
    return f"{_OPEN}\n\n{note}\nSummary:\n{summary.strip()}\n\n{hatch}" + (f"\n{_RESUME}" if resume else "")


class Compaction:
    """One compaction; the pieces are called in the order in which they are written."""

    def __init__(
        self, session: Session, name: str, trigger: str, summary: str, keep: list[str], seconds: float
    ) -> None:
        self.session = session
        self.name = name
        self.trigger = trigger
        self.text = summary_text(session, summary, resume=True)
        self.kept = [session.uuid(row) for row in keep]
        if trigger == "manual" and session.tip and session.tip not in self.kept:
            self.kept.append(session.tip)
        self.seconds = seconds
        self.before, self.after, self.dropped = (session.blanks.open() for _ in range(3))
        self.tokens = 0
        request = session.clock.now.timestamp()

        def count(moment: Moment) -> None:
            self.tokens = moment.prompt
            session.blanks.fill(self.before, moment.prompt)
            moment.ask(summary, request)

        session.here(count)
        session.clock.wait(seconds)

    def boundary(self, unwritten: list[str] | None = None) -> str:
        session = self.session
        anchor = uid(f"{session.label}/{self.name} summary")
        meta: Record = {"trigger": self.trigger, "preTokens": self.before, "postTokens": self.after}
        meta |= {"cumulativeDroppedTokens": self.dropped, "durationMs": round(self.seconds * 1000)}
        if session.discovered:
            meta["preCompactDiscoveredTools"] = session.discovered
        if self.kept:
            meta["preservedSegment"] = {"headUuid": self.kept[0], "anchorUuid": anchor, "tailUuid": self.kept[-1]}
            every = [*self.kept[:1], *(unwritten or []), *self.kept[1:]]
            meta["preservedMessages"] = {"anchorUuid": anchor, "uuids": self.kept, "allUuids": every}
        session.ledger.compactions += 1
        if session.log:
            session.log.fresh()
        body = {"content": "Conversation compacted", "level": "info", "compactMetadata": meta}
        body |= {"uuid": "", "timestamp": session.clock.stamp()}
        head = {"type": "system", "subtype": "compact_boundary"}
        return session.chain({**head, **body}, f"{self.name} boundary", root={"logicalParentUuid": session.tip})

    def summary(self) -> str:
        foot = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        turn = {"promptIndex": self.session.prompts, "turnIndex": self.session.prompts}
        return self.session.user(self.text, foot | {"turnPosition": turn}, f"{self.name} summary")

    def reread(self, paths: list[str], too_large: str | None = None) -> None:
        """The files that the client reads again for the model."""
        for path in paths:
            lines, total = self.session.files.lines(f"{HOME}/{path}")
            numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
            file: Record = {"filePath": f"{HOME}/{path}", "content": self.session.files.files[f"{HOME}/{path}"]}
            file |= {"numLines": total, "startLine": 1, "totalLines": total}
            what = {"type": "file", "filename": f"{HOME}/{path}", "content": {"type": "text", "file": file}}
            called = f'Called the Read tool with the following input: {{"file_path":"{HOME}/{path}"}}'
            output = context.rendered(called, f"Result of calling the Read tool:\n{numbered}", role="user")
            self.session.attach((what | {"displayPath": path}, output))
        if too_large:
            what = {"type": "compact_file_reference", "filename": f"{HOME}/{too_large}", "displayPath": too_large}
            text = f"Note: {HOME}/{too_large} was read before the last compaction, but it is too large to include."
            self.session.attach((what, context.rendered(text)))

    def done(self) -> None:
        """What is left is what the client says that is left: the messages."""
        session = self.session

        def count(moment: Moment) -> None:
            session.dropped += self.tokens - moment.messages
            session.blanks.fill(self.after, moment.messages)
            session.blanks.fill(self.dropped, session.dropped)

        session.here(count)

    def listings(self) -> None:
        session = self.session
        names = sorted({*context.DEFERRED, *session.discovered})
        for attachment in (
            context.deferred_tools(names),
            context.agent_listing(),
            context.skill_listing(),
            context.environment(),
            context.model(session.model),
        ):
            session.attach(attachment)
        self.done()


def manual(
    session: Session, name: str, focus: str, summary: str, keep: list[str], reread: list[str], *, on_tail: bool = False
) -> None:
    """`/compact focus`: the command's own rows come after the summary, with earlier times.

    They hang on the summary, or (`on_tail`) on the last kept row, which stands before the boundary.
    """
    session.settle()
    session.clock.wait(30)
    request = session.clock.stamp()
    work = Compaction(session, name, "manual", summary, keep, 41.7)
    session.prompt_id = uid(f"{session.label}/{name}")
    work.boundary()
    work.summary()
    if on_tail:
        session.tip = work.kept[-1]
    session.user(CAVEAT, {"isMeta": True}, stamp=request)
    session.user(command_text("compact", focus), name=f"{name} command", stamp=request)
    session.user(
        "<local-command-stdout>\u001b[2mCompacted (ctrl+o to see full summary)\u001b[22m</local-command-stdout>"
    )
    work.reread(reread)
    work.listings()
    session.settle()


def automatic(
    session: Session, name: str, day: str, status: str, summary: str, keep: list[str], reread: list[str], large: str
) -> None:
    """The context reached the threshold in the middle of a turn."""
    session.leaf()
    work = Compaction(session, name, "auto", summary, keep, 58.2)
    work.boundary(unwritten=[uid(f"{session.label}/{name} never written")])
    session.attach(context.instructions(session.files.files[f"{HOME}/CLAUDE.md"]))
    session.attach(context.session_context(status))
    session.attach(context.date(day))
    work.summary()
    work.reread(reread, large)
    work.listings()
