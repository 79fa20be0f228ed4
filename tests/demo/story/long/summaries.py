"""The two summaries that the compactions of the long session left, and the notes beside it."""

from __future__ import annotations

FOCUS = "focus on the clock-change fix and what the alerts need; the font talk can go"

MANUAL = """\
1. Primary Request and Intent:
   dev wanted to know why Port Hallow's table of 25 October 2026 has one 01:00 and a jump of a metre, then wanted it \
fixed: UTC inside, local time only where text is made, both clock changes tested. Next: spring and neap alerts.
2. Key Technical Concepts:
   - arithmetic on aware local datetimes is wall-clock arithmetic; days of 23, 24 and 25 hours
   - harmonic constituents, residuals against a gauge
3. Files and Code Sections:
   - src/tidewatch/table.py
      - `bounds(day, zone)` gives start and end of a local day in UTC; `hours_of`, `rows`, `render` are built on it
   - tests/test_clock_changes.py
      - 11 tests: rows per day, the repeated 01:00, no false high water on 29 March
4. Errors and fixes:
   - the lint hook found a missing `timezone` import after the first edit
   - the first test expected 24 rows for 25 October; the day has 25
5. Problem Solving:
   Compared with the harbour office (mcp tides): all extremes within 3 min and 3 cm. A refit over 2025 gives rms 3.9 \
cm, \
not worth new constants. A year simulated: worst hour 6 cm after the fix.
6. All user messages:
   - "The table for Port Hallow on 25 October is wrong [...] Find out why. Don't fix anything yet."
   - "That fits. Here is the harbour office's own chart of that night [...] I want what they have."
   - "Plan it. UTC inside, local time only where text is made. Both clock changes need a test."
   - "also run it for Gull Haven afterwards, the Azores change at another hour"
   - "Check that against the actual rule for clock changes, please."
   - "Simulate every station for a year and show me the worst hours."
   - "is the DST work ready to commit?"
7. Pending Tasks:
   - commit the clock-change fix without refit.log
   - spring and neap alerts
8. Current Work:
   The fix is complete and uncommitted on main; 18 tests pass.
9. Optional Next Step:
   Commit, then design `tidewatch alerts`."""

AUTOMATIC = """\
1. Primary Request and Intent:
   After the clock-change fix (committed as 3f9a1c2) dev asked for `tidewatch alerts`: the days whose range is far \
above \
(spring) or below (neap) the mean, 20% by default, then for a check of the residuals around each alert, then a pull \
request.
2. Key Technical Concepts:
   - daily range = highest minus lowest extreme of a local day; mean over the period asked for
   - residual = gauge minus prediction; semidiurnal blocks
3. Files and Code Sections:
   - src/tidewatch/alerts.py
      - `daily_range(station, day)`, `alerts(station, first, days=30, share=0.2)`
   - src/tidewatch/cli.py
      - new sub-command `alerts STATION [--from DATE] [--days N] [--share X]`
   - tests/test_alerts.py, CHANGELOG.md
4. Errors and fixes:
   - overloaded API in the afternoon, one turn lost and repeated
   - `--share 20` was taken as 2000%; values above 1 are refused now
5. Problem Solving:
   Residuals of Port Hallow and Skerry Point around 5-9 and 26-30 November were read in blocks; none is above 7 cm, \
so the alerts are not an artefact of bad constants.
6. All user messages:
   - "Add alerts for springs and neaps [...]"
   - "remember that: metres with two decimals everywhere, I keep having to say it"
   - "Go through the residuals around each alert, block by block. I want to be sure before this goes out."
7. Pending Tasks:
   - finish the residual check for Gull Haven
   - open the pull request
8. Current Work:
   Was reading the residuals of Gull Haven, 26-30 November.
9. Optional Next Step:
   Read the last block, then `gh pr create`."""

NOTES = """\
# Session Title
_A short and distinctive 5-10 word descriptive title for the session. Super info dense, no filler_

Clock-change hole in tide tables, then spring and neap alerts

# Current State
_What is actively being worked on right now? Pending tasks not yet completed. Immediate next steps._

The fix is committed, alerts are in, the pull request is open. Nothing is pending but the review.

# Task specification
_What did the user ask to build? Any design decisions or other explanatory context_

Tables must have as many rows as the day has hours (23, 24, 25), with zone names on every row. Alerts name the days \
whose range is 20% above or below the mean of the period.

# Files and Functions
_What are the important files? In short, what do they contain and why are they relevant?_

- `src/tidewatch/table.py`: `bounds()` is the only place that knows about midnight
- `src/tidewatch/alerts.py`: `daily_range()`, `alerts()`
- `tests/test_clock_changes.py`, `tests/test_alerts.py`

# Workflow
_What bash commands are usually run and in what order? How to interpret their output if not obvious?_

`python -m pytest -q`, then `ruff check`; `tools/refit.py` takes minutes, run it in the background.

# Errors & Corrections
_Errors encountered and how they were fixed. What did the user correct? What approaches failed and should not be \
tried again?_

- Do not add `timedelta` to local datetimes.
- Do not rename the package (started and taken back).

# Codebase and System Documentation
_What are the important system components? How do they work/fit together?_

Constituents -> `harmonics.height()` -> `table.rows()`; stations are JSON files with their zone.

# Learnings
_What has worked well? What has not? What to avoid? Do not duplicate items from other sections_

The harbour office's server agrees with us within 3 minutes and 3 cm.

# Key results
_If the user asked a specific output such as an answer to a question, a table, or other document, repeat the exact \
result here_

Residual rms for 2025: 3.9 cm. Worst hour of 2026: 6.2 cm (Skerry Point, 11 February).

# Worklog
_Step by step, what was attempted, done? Very terse summary for each step_

Diagnosed; planned; fixed; checked against the rule and the server; compacted; alerts; residuals; compacted; pull \
request.
"""
