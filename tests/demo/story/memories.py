"""The memory of the project: some files as they should be, and one for each thing that goes wrong with them."""

from __future__ import annotations

INDEX = """\
# Memory

- [Who works here](user-dev.md) — one person, evenings, a boat
- [Metres, two decimals](metres-two-decimals.md) — every height, everywhere
- [Heights in metres](heights-two-decimals.md) — print heights with two decimals
- [UTC inside](utc-inside.md) — local time only where text is made
- [Local time inside](local-time-inside.md) — the package works in local time
- [Harbour office](harbour-office.md) — where constants and predictions come from
- [Release checklist](release-checklist.md) — five steps, in this order
- [Order of the stations](station-order.md) — Port Hallow first
- [Cost of a refit](refit-cost.md) — minutes, not seconds; run it in the background and never while something else \
needs the \
laptop, because it takes every core that there is and the fan is loud
- [Broken header](broken-header.md) — a note whose header cannot be read
- [Next week](next-week.md) — what was planned
- [Server token](server-token.md) — how to reach the tide server
- [Fog](invisible-fog.md) — a note with invisible characters
- [Harbour contacts](harbour-contacts.md) — whom to call
"""

TOPICS = {
    "user-dev.md": """\
---
name: user-dev
description: Who works on tidewatch and how
metadata:
  node_type: memory
  type: user
---

One person, in the evenings. Sails a small boat out of Port Hallow and reads the tables on paper. Wants reasons before
changes, and short commits.
""",
    "heights-two-decimals.md": """\
---
name: heights-two-decimals
description: Heights are printed in metres with two decimals
metadata:
  node_type: memory
  type: feedback
---

Heights are printed as metres with two decimals, in every table and every alert.

**Why:** asked for more than once.

**How to apply:** `f"{metres:.2f} m"`.
""",
    "utc-inside.md": """\
---
name: utc-inside
description: Inside the package every moment is UTC
metadata:
  node_type: memory
  type: project
  modified: 2026-11-03T09:31:07.000Z
---

Every datetime inside tidewatch is aware and in UTC. Local time exists only where text is made.

**Why:** adding an hour to a local datetime is wall-clock arithmetic; the night of 2026-10-25 lost a row that way.

**How to apply:** go through `bounds()` in `src/tidewatch/table.py`. See also [[harbour-office]].
""",
    "local-time-inside.md": """\
---
name: local-time-inside
description: Inside the package every moment is local time
metadata:
  node_type: memory
  type: project
  modified: 2026-06-02T19:12:44.000Z
---

Every datetime inside tidewatch is in the station's local time; UTC exists only where text is made.

**Why:** the harbour office thinks in local time.
""",
    "harbour-office.md": """\
---
name: harbour-office
description: "Where the constants come from: the harbour office's yearly sheet and its tide server"
metadata:
  node_type: memory
  type: reference
---

- Constants: the yearly sheet, typed by hand into `src/tidewatch/data/`.
- Predictions to compare with: the `tides` MCP server (`lookup`, times in UTC).
""",
    "release-checklist.md": """\
---
name: release-checklist
description: What a release needs
type: project
---

1. `python -m pytest -q`
2. `tools/make_release.py --check` (the script was removed in 0.7)
3. CHANGELOG.md, version in `src/tidewatch/__init__.py`
4. tag, push
5. tell the harbour office
""",
    "station-order.md": """\
---
name: station-order
description: Port Hallow comes first in every list
metadata:
  node_type: memory
  type: hunch
---

Port Hallow first, then by name.
""",
    "refit-cost.md": """\
---
name: refit-cost
metadata:
  node_type: memory
  type: project
---

`tools/refit.py` runs for two to three minutes on all cores.

**Why:** nine constituents against 8,760 hours, seven passes.

**How to apply:** in the background, with its output in a file.
""",
    "broken-header.md": """\
---
name: broken-header
description: Note: the colon in this line [is not quoted
metadata: {type: project
---

The body can still be read.
""",
    "next-week.md": """\
---
name: next-week
description: What is planned for next week
metadata:
  node_type: memory
  type: project
---

Yesterday the alerts were finished. Next Thursday the pull request should be merged, and two weeks ago the harbour
office promised new constants by the end of this month.
""",
    "server-token.md": """\
---
name: server-token
description: Access to the tide server
metadata:
  node_type: memory
  type: reference
---

The tide server wants a token: `ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0` (an example, it opens nothing).
""",
    "invisible-fog.md": """\
---
name: invisible-fog
description: Visibility in the tables
metadata:
  node_type: memory
  type: reference
---

Fog\u200b is not in the tables.\u200d\u2060 Some would like it to be; it is not a tide\ufeff.
""",
    "orphan-moorings.md": """\
---
name: orphan-moorings
description: Depths at the moorings, measured once
metadata:
  node_type: memory
  type: reference
---

Mooring 4 dries at springs. Nothing in the index points here.
""",
}
