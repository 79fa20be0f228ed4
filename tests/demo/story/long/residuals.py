"""Late afternoon: tables of numbers, block by block, until the context is full and is compacted by itself."""

from __future__ import annotations

from tests.demo.story import events
from tests.demo.story.blocks import Say, Think, hidden
from tests.demo.story.compaction import automatic
from tests.demo.story.long.summaries import AUTOMATIC
from tests.demo.story.pictures import tide_chart
from tests.demo.story.session import Session
from tests.demo.story.tides import gauge
from tests.demo.story.tools import bash, other, read, read_image
from tests.demo.story.workspace import HOME

BLOCKS = {
    "port hallow": "gauge/port-hallow-2026-10.csv",
    "skerry point": "gauge/skerry-point-2026-10.csv",
    "gull haven": "gauge/gull-haven-2026-10.csv",
}

SAID = {
    "port hallow 1": "Port Hallow first, from the beginning of October.",
    "port hallow 2": "The first ten days: nothing above 6 cm, springs or not. Next block.",
    "port hallow 3": "The middle of the month is as quiet.",
    "skerry point 1": "And the night of the clock change has no step any more. Skerry Point next.",
    "skerry point 2": "Skerry Point follows the same weather, a little smaller.",
    "gull haven 1": "Back to 4 cm by the end of the month. Now Gull Haven.",
    "gull haven 2": "Half the range and the same residuals, as it should be: it is weather, not constants.",
    "gull haven 3": "The last block.",
}

STATUS = """\
This is the git status at the start of the conversation.

Current branch: neap-alerts

Status:
 M CHANGELOG.md
 M src/tidewatch/cli.py
?? gauge/
?? refit.log
?? src/tidewatch/alerts.py
?? tests/test_alerts.py"""


def bring_gauges(session: Session) -> None:
    for place, path in BLOCKS.items():
        session.files.files[f"{HOME}/{path}"] = gauge(place.replace(" ", "-"), "2026-10-01", 744)


def block(session: Session, name: str, thought: int) -> None:
    place, _, number = name.rpartition(" ")
    offset = (int(number) - 1) * 248 + 2
    session.step(
        hidden(thought), Say(SAID[name]), read(BLOCKS[place], offset, 248, name=f"block {name}"), name=f"reads {name}"
    )


def first_blocks(session: Session) -> None:
    """Half an hour later: the cache has gone cold."""
    bring_gauges(session)
    session.prompt(
        "Back from the harbour, with the October gauge files in gauge/. Go through the residuals around last month's "
        "springs and neaps, block by block. I want to be sure before this goes out.",
        name="residuals",
        wait=1560,
    )
    session.step(
        Think(
            "Three files, 744 hours each. Blocks of 248 lines keep each read small, and I can say something after each."
        ),
        Say("Three files of 744 hours. I'll read them in blocks of 248 and say what I see after each."),
        bash(
            "wc -l gauge/*.csv && env | grep -i tides",
            "How much there is, and which server we compare with",
            COUNTED,
            name="fake key",
        ),
    )
    for name, thought in (("port hallow 1", 740), ("port hallow 2", 810), ("port hallow 3", 720)):
        block(session, name, thought)
    events.clear_results(session, CLEARED, "cleared results")
    for name, thought in (("skerry point 1", 830), ("skerry point 2", 970)):
        block(session, name, thought)


CLEARED = ["read cli", "alerts printed", "block port hallow 1"]

COUNTED_HOURS = """\
gauge/gull-haven-2026-10.csv:120
gauge/port-hallow-2026-10.csv:120
gauge/skerry-point-2026-10.csv:120

Found 360 total occurrences across 3 files."""

COUNTED = """\
   745 gauge/gull-haven-2026-10.csv
   745 gauge/port-hallow-2026-10.csv
   745 gauge/skerry-point-2026-10.csv
  2235 total
TIDES_SERVER=https://tides.example.org
TIDES_API_KEY=sk-ant-api03-EXAMPLE-not-a-real-key-EXAMPLE-not-a-real-key-EXAMPLE-0000"""


def chart(session: Session) -> None:
    path = f"{HOME}/out/skerry-point-2026-10-17.png"
    session.step(
        hidden(520),
        Say("The 17th and 18th are the largest so far: 6.3 cm, at both high waters. That deserves a picture."),
        bash(
            "python tools/plot.py skerry-point --date 2026-10-17 --hours 48 --out out/skerry-point-2026-10-17.png",
            "Plot the two days with isobars",
            "out/skerry-point-2026-10-17.png",
            seconds=1.4,
            name="plot",
        ),
    )
    session.step(read_image(path, tide_chart(48), name="read chart"))
    session.step(
        hidden(910),
        Say("The curve is smooth and only sits higher: a surge, not a wrong phase. On with the blocks."),
        read(BLOCKS["skerry point"], 498, 248, name="block skerry point 3"),
        name="reads skerry point 3",
    )


def until_it_is_full(session: Session) -> None:
    block(session, "gull haven 1", 1220)
    block(session, "gull haven 2", 1310)
    session.step(
        hidden(FILL),
        Say("Nothing new in the second block. Before the last one, how many hours of the neaps are there at all?"),
        other(
            "Grep",
            {"pattern": "^2026-10-2[4-8]", "path": f"{HOME}/gauge", "output_mode": "count"},
            COUNTED_HOURS,
            {"mode": "count", "numFiles": 3, "filenames": [], "content": "", "numMatches": 360},
            name="count hours",
        ),
        name="almost full",
    )
    automatic(
        session,
        "auto",
        "2026-11-03",
        STATUS,
        AUTOMATIC,
        [
            "reads gull haven 2.0",
            "reads gull haven 2.1",
            "block gull haven 2",
            "block gull haven 2 result",
            "almost full.0",
            "almost full.1",
            "count hours",
            "count hours result",
        ],
        ["src/tidewatch/alerts.py", "src/tidewatch/cli.py", "tests/test_alerts.py"],
        "gauge/gull-haven-2026-10.csv",
    )


FILL = 1440
"""So long a thought that the context reaches the threshold of 77,000 with it, and not before."""
