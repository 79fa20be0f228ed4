from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.test import override_settings

from inspector.runs.services.schedule import duty_follow
from inspector.watcher.duties import CAPTURES
from inspector.web.clock import now_ms
from sessions.capture.endpoint.spool import DRAFT_SUFFIX, Spool
from sessions.capture.services.ingest import captures_forget, captures_ingest
from sessions.models import Capture
from tests.serving import wait_until
from tests.sessions.capture.capturing import exchange, request

HOUR = 3600 * 1000


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "captures")


@pytest.mark.django_db
def test_what_waits_is_stored_and_its_files_are_gone(spool: Spool) -> None:
    for _ in range(3):
        spool.write(exchange(request()))
    result = captures_ingest(spool=spool)
    assert (result.stored, result.unreadable) == (3, 0)
    assert Capture.objects.count() == 3
    assert spool.files() == []


@pytest.mark.django_db
def test_a_file_that_was_stored_before_is_only_cleared_away(spool: Spool) -> None:
    """As after a kill between the two."""
    once = exchange(request())
    spool.write(once)
    captures_ingest(spool=spool)
    spool.write(once)
    captures_ingest(spool=spool)
    assert Capture.objects.count() == 1
    assert spool.files() == []


@pytest.mark.django_db
def test_a_file_that_cannot_be_read_is_set_aside_and_the_others_are_stored(spool: Spool) -> None:
    spool.write(exchange(request()))
    (spool.folder / f"0000000000000-poison{spool.files()[0].suffix}").write_bytes(b"poison")
    spool.write(exchange(request()))
    result = captures_ingest(spool=spool)
    assert (result.stored, result.unreadable) == (2, 1)
    assert spool.unreadable().files == 1
    assert spool.waiting().files == 0


@pytest.mark.django_db
def test_while_the_database_refuses_everything_waits(spool: Spool) -> None:
    spool.write(exchange(request()))
    with connection.execute_wrapper(_full), pytest.raises(OperationalError):
        captures_ingest(spool=spool)
    assert spool.waiting().files == 1
    assert captures_ingest(spool=spool).stored == 1


def _full(*_: object) -> None:
    raise OperationalError("database or disk is full")


@pytest.mark.django_db
def test_only_one_process_stores_at_a_time(spool: Spool) -> None:
    spool.write(exchange(request()))
    with spool.lock() as ours:
        assert ours
        assert captures_ingest(spool=spool).stored == 0
    assert captures_ingest(spool=spool).stored == 1


@pytest.mark.django_db
def test_drafts_of_a_process_that_is_gone_are_cleared_away(spool: Spool) -> None:
    spool.folder.mkdir()
    old, new = (spool.folder / f"{name}{DRAFT_SUFFIX}" for name in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (1000, 1000))
    captures_ingest(spool=spool)
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.django_db
def test_what_is_older_than_the_setting_allows_is_forgotten(spool: Spool) -> None:
    now = now_ms()
    spool.write(exchange(request(), at=now - 49 * HOUR))
    spool.write(exchange(request(), at=now - 47 * HOUR))
    captures_ingest(spool=spool)
    with override_settings(LUCID_CAPTURE_DAYS=2):
        assert captures_forget() == 1
    assert Capture.objects.get().at == now - 47 * HOUR


@pytest.mark.django_db(transaction=True)
def test_what_arrives_is_stored_until_it_is_told_to_stop(tmp_path: Path) -> None:
    spool, stop = Spool(tmp_path / "captures"), threading.Event()
    with override_settings(LUCID_HOME=tmp_path):
        following = threading.Thread(target=duty_follow, args=(CAPTURES, stop))
        following.start()
        try:
            spool.write(exchange(request(), at=now_ms()))
            wait_until(lambda: Capture.objects.count() == 1)
        finally:
            stop.set()
            following.join()
