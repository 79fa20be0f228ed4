"""After imports: a run where the cache of a session dropped, and none where it did not."""

from __future__ import annotations

from pathlib import Path

import pytest
from watchfiles import Change

from compaction.cache.services.runs import KIND, cache_diffs_catch_up, cache_diffs_create, cache_diffs_recheck
from compaction.models import CacheBreak, CacheScan
from inspector.runs.models import Run
from inspector.runs.services.execute import run_execute
from inspector.watcher.follow import _take
from sessions.capture.endpoint.spool import Spool
from sessions.capture.services.ingest import captures_ingest
from sessions.models import Transcript
from tests.compaction.cache.cached_session import Cached
from tests.compaction.cache.engine.request_bodies import TOOLS
from tests.sessions.capture.capturing import exchange, message, request

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(tmp_path: Path) -> Cached:
    return Cached(project=tmp_path / "projects" / "-home-dev-tidewatch").warm()


def _seen(session: Cached) -> None:
    """The watcher sees that the file has grown."""
    path = session.save(session.path.parent, session.path.stem)
    _take(session.project.parents[1], {(Change.modified, str(path))})


def _runs() -> list[Run]:
    return list(Run.objects.filter(kind=KIND).order_by("pk"))


def test_a_session_without_a_drop_makes_no_run_and_no_row(session: Cached) -> None:
    for index in range(3):
        session.asks(50_500 + 400 * index, 400)
        _seen(session)
    assert _runs() == []
    assert not CacheScan.objects.exists()
    assert Transcript.objects.get().cache_breaks == 0


def test_a_drop_makes_a_run_that_finds_its_cause(session: Cached) -> None:
    session.tools = TOOLS[1:]
    session.asks(0, 51_000)
    _seen(session)
    (run,) = _runs()
    assert run.target_url == f"/sessions/{session.session}/cache/"
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.summary) == ("completed", "Looked into 1 session.")
    assert CacheBreak.objects.get().cause == "tools_changed"
    assert Transcript.objects.get().cache_breaks == 1


def test_a_drop_that_was_looked_at_makes_no_second_run(session: Cached) -> None:
    session.tools = TOOLS[1:]
    session.asks(0, 51_000)
    _seen(session)
    run_execute(run_id=_runs()[0].pk)
    session.asks(51_000, 500)
    _seen(session)
    assert len(_runs()) == 1


def test_one_run_is_enough_while_it_is_under_way(session: Cached) -> None:
    session.tools = TOOLS[1:]
    session.asks(0, 51_000)
    _seen(session)
    session.asks(51_000, 500)
    _seen(session)
    assert len(_runs()) == 1


def test_after_a_start_everything_that_has_changed_is_looked_into_once(session: Cached) -> None:
    session.read()
    run = cache_diffs_catch_up()
    assert run is not None
    run_execute(run_id=run.pk)
    assert CacheScan.objects.count() == 1
    assert cache_diffs_catch_up() is None


def test_a_run_for_all_ends_well_where_there_is_nothing_to_do() -> None:
    run = cache_diffs_create()
    run_execute(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.summary) == ("completed", "Looked into 0 sessions.")


def test_a_request_that_is_recorded_after_its_break_was_looked_into_is_compared_again(
    session: Cached, tmp_path: Path
) -> None:
    session.asks(0, 51_000)
    _seen(session)
    run_execute(run_id=_runs()[0].pk)
    cache_break = CacheBreak.objects.get()
    spool = Spool(tmp_path / "captures")
    spool.write(exchange(request(), message(cache_break.message_id)))
    spool.write(exchange(request(), message("msg_of_nobody")))
    result = captures_ingest(spool=spool)
    assert sorted(result.messages) == sorted([cache_break.message_id, "msg_of_nobody"])
    (run,) = cache_diffs_recheck(messages=result.messages)
    assert run.parameters == {"session": cache_break.session_id}
    run_execute(run_id=run.pk)
    assert cache_diffs_recheck(messages=result.messages) == []
