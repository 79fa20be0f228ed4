"""A small session whose file was damaged in every way that has been seen in the wild."""

from __future__ import annotations

from tests.demo.story.accounts import settle
from tests.demo.story.blocks import Say
from tests.demo.story.clock import Clock
from tests.demo.story.ids import uid
from tests.demo.story.session import Session
from tests.demo.story.tools import bash
from tests.demo.story.transcript import Setting, encode
from tests.demo.story.workspace import Workspace


def glue(session: Session, name: str) -> None:
    """The last two records lose the newline between them."""
    second, first = session.lines.pop(), session.lines.pop()
    session.lines.append(first + second)
    session.ledger.problems += 1
    session.odd[name] = len(session.lines)


def truncated_then_whole(session: Session) -> None:
    session.user("This row is whole; the one before it on the same line is not.", name="after the cut")
    line = session.lines.pop()
    session.lines.append(line[:170] + line)
    session.ledger.prompts += 1
    session.ledger.problems += 1
    session.odd["truncated then whole"] = len(session.lines)


def nul_run(session: Session) -> None:
    session.user("The disk was full for a moment before this.", name="after the nuls")
    line = session.lines.pop()
    session.lines.append(b"\0" * 64 + line)
    session.ledger.prompts += 1
    session.ledger.problems += 1
    session.odd["nul run"] = len(session.lines)


def strange_but_valid(session: Session) -> None:
    """Lines that no reader expects; four of them hold plain words, as somebody might have typed them."""
    session.ledger.prompts += 4
    session.ledger.problems += 2
    letters = {str(index): char for index, char in enumerate("Tide?")}
    numeric = {"type": "user", "message": letters, "uuid": "", "timestamp": session.clock.stamp()}
    session.chain(numeric, "numeric keys")
    session.odd["numeric keys"] = len(session.lines)
    session.user("Two lines to a reader that splits at U+2028:\u2028one line to JSON.", name="line separator")
    session.odd["line separator"] = len(session.lines)
    session.user("Half of a wave: ?", name="lone surrogate")
    session.lines[-1] = session.lines[-1].replace(b"wave: ?", b"wave: \\ud83c")
    session.odd["lone surrogate"] = len(session.lines)
    session.state({"type": "tide-signal", "level": 4.2, "sessionId": session.session}, "unknown type")
    session.odd["unknown type"] = len(session.lines)
    session.user("A key that nobody knows.", {"moonPhase": "waning"}, "unknown key")
    session.odd["unknown key"] = len(session.lines)
    session.step(Say("Here it is."), name="unknown block")
    session.lines[-1] = session.lines[-1].replace(
        b'{"type":"text","text":"Here it is."}', b'{"type":"hologram","frames":3}'
    )
    session.odd["unknown block"] = len(session.lines)
    session.system("tide_turned", {"content": "The tide has turned", "level": "info"}, "unknown subtype")
    session.odd["unknown subtype"] = len(session.lines)
    session.attach(({"type": "barometer", "hectopascal": 1013}, {}), "unknown attachment")
    session.odd["unknown attachment"] = len(session.lines)


def build() -> Session:
    ident = uid("session odd")
    session = Session("odd", f"{ident}.jsonl", Setting(ident), Clock("2026-11-06T07:15:00.000"), Workspace())
    session.log = None
    session.prompt("Is it high water yet?", name="odd prompt", wait=0)
    session.step(
        Say("Let me look."),
        bash("tidewatch next port-hallow", "Next high water", "high water at 07:42 UTC, 4.61 m"),
        name="odd look",
    )
    glue(session, "glued")
    truncated_then_whole(session)
    nul_run(session)
    strange_but_valid(session)
    session.answer("In 27 minutes, at 07:42.", name="odd end", settle=False)
    last = encode(
        {
            "parentUuid": session.tip,
            "isSidechain": False,
            "type": "user",
            "message": {"role": "user", "content": "thank"},
        }
    )
    session.cut = last[:-9]
    session.ledger.problems += 1
    session.odd["partial last line"] = len(session.lines) + 1
    settle(session)
    return session
