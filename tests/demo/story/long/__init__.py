"""The long session: one day of work on tidewatch, from a missing hour to a pull request."""

from __future__ import annotations

from tests.demo.story import events
from tests.demo.story.accounts import settle
from tests.demo.story.clock import Clock
from tests.demo.story.compaction import manual
from tests.demo.story.ids import uid
from tests.demo.story.long import alerts, detours, diagnosis, fix, lookup, release, residuals, trouble
from tests.demo.story.long.summaries import FOCUS, MANUAL
from tests.demo.story.session import Session
from tests.demo.story.transcript import Setting
from tests.demo.story.workspace import Workspace


def start() -> Session:
    ident = uid("session long")
    return Session("long", f"{ident}.jsonl", Setting(ident), Clock("2026-11-03T09:02:11.482"), Workspace())


def morning(session: Session) -> None:
    diagnosis.open_session(session)
    diagnosis.look_around(session)
    diagnosis.try_it(session)
    release.titled(session)
    diagnosis.pasted_chart(session)
    diagnosis.plan(session)
    fix.make_tasks(session)
    fix.change_table(session)
    fix.prove_it(session)
    fix.close_tasks(session)


def midday(session: Session) -> None:
    fix.look_at_data(session)
    lookup.clock_law(session)
    lookup.tide_server(session)
    session.log = None
    session.attach((session.head.snapshot(with_tools=True), {}))
    detours.stopped_run(session)
    detours.taken_back(session)
    detours.after_the_rewind(session)
    detours.fonts(session)
    manual(
        session, "manual", FOCUS, MANUAL, ["ready to commit"], ["src/tidewatch/table.py", "tests/test_clock_changes.py"]
    )


def afternoon(session: Session) -> None:
    alerts.commit(session)
    alerts.build_alerts(session)
    alerts.remember(session)
    trouble.bad_quarter(session)
    trouble.other_model(session)
    trouble.release_notes(session)
    events.cost_state(session)
    residuals.first_blocks(session)
    residuals.chart(session)
    residuals.until_it_is_full(session)
    release.last_block(session)
    release.pull_request(session)
    release.close(session)


def tell() -> Session:
    session = start()
    morning(session)
    midday(session)
    afternoon(session)
    return session


def build() -> Session:
    session = tell()
    settle(session)
    return session
