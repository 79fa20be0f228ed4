"""How the session after `/clear` goes on: an evening on which its prompt cache breaks in ways that nobody meant."""

from __future__ import annotations

from tests.demo.story.blocks import hidden
from tests.demo.story.session import Session
from tests.demo.story.tides import gauge
from tests.demo.story.tools import bash

TERSE = "Answer in one sentence unless asked for more."
DAYS = 21


def go_on(session: Session) -> None:
    springs(session)
    think_less(session)
    every_day(session)
    be_terse(session)
    lost(session)


def springs(session: Session) -> None:
    session.prompt("Show me three weeks of Gull Haven, hour by hour.", name="three weeks", wait=25)
    table = gauge("gull-haven", "2026-11-01", DAYS * 24)
    session.step(hidden(30), bash(f"tidewatch hours gull-haven --days {DAYS}", "Print three weeks", table))
    session.step(
        bash("tidewatch springs gull-haven --days 21", "Find the springs", "2026-11-06  1.857\n2026-11-18  1.771")
    )
    session.answer("Springs fall on the 6th and the 18th; the table has every hour between.", name="springs")


def think_less(session: Session) -> None:
    """The messages are cached with the effort."""
    session.command("effort", "medium", "Set effort level to medium", name="to medium effort", wait=30)
    session.effort = "medium"
    session.prompt("Which of the two is higher, and by how much?", name="which is higher", wait=10)
    session.step(hidden(40), bash("echo '1.857 - 1.771' | bc", "Subtract", ".086"), name="effort changed")
    session.answer("The one on the 6th, by nine centimetres.", name="nine centimetres")


def every_day(session: Session) -> None:
    """So many calls at once push the mark before them out of sight."""
    session.prompt("Count the rows of each day, with a call for each.", name="count rows", wait=35)
    calls = [
        bash(f"tidewatch hours gull-haven --day {day} | wc -l", f"Count day {day}", "24") for day in range(1, DAYS + 1)
    ]
    session.step(*calls, name="a call for each day")
    session.step(hidden(30), bash("expr 21 '*' 24", "Multiply", "504"), name="out of sight")
    session.answer("24 each, 504 in all.", name="all rows")


def be_terse(session: Session) -> None:
    """Another style of output is another system prompt."""
    session.command("output-style", "terse", "Set output style to terse", name="to terse", wait=20)
    session.head = session.head.with_style(TERSE)
    session.prompt("Is a day missing?", name="missing day", wait=15)
    session.step(hidden(30), bash("tidewatch days gull-haven", "List days", "21 days"), name="system prompt changed")
    session.answer("No.", name="none missing")


def lost(session: Session) -> None:
    """Nothing changed, and the cache is gone all the same."""
    session.cache_is_lost = True
    session.prompt("And is one there twice?", name="twice", wait=40)
    session.answer("No.", hidden(90), name="lost on the server")
