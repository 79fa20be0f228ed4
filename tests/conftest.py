"""Fixtures that many tests share: a database in a file, and real servers."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.examples import examples
from tests.servers import migrated_template, postgres_server, redis_server
from tests.serving import lucid

# How long an example takes is the machine's business, not a property. A run of all tests plays the same examples every
# time, so that a red test is the doing of a change; `make slow` looks for new ones, and for many more of them.
settings.register_profile(
    "lucid", deadline=None, derandomize="LUCID_EXAMPLES" not in os.environ, max_examples=examples(40, share=5)
)
settings.load_profile("lucid")


def pytest_itemcollected(item: pytest.Item) -> None:
    if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts servers comes first, then what uses a database: such files are long, and one that comes last is
    waited for alone."""
    items.sort(key=lambda item: (not _starts_servers(item), item.get_closest_marker("django_db") is None))


def _starts_servers(item: pytest.Item) -> bool:
    used = {*getattr(item, "fixturenames", ()), *vars(getattr(item, "module", item))}
    return not used.isdisjoint({"serving", "lucid", "worker", "postgres_url", "redis_url", "release"})


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """A file instead of memory: the same journal, locks and pragmas as in use. On a server, one for this process."""
    from django.conf import settings as ours
    from django.db import connection

    if connection.vendor == "postgresql":
        template = migrated_template(os.environ["TEST_DATABASE_URL"])
        connection.settings_dict["TEST"].update(NAME=f"lucid_test_{os.getpid()}", TEMPLATE=template)
        return
    connection.settings_dict["TEST"]["NAME"] = str(ours.LUCID_HOME / "test.sqlite3")


@pytest.fixture(autouse=True)
def threads_end(_django_db_marker: None) -> Iterator[None]:
    """Threads see to it that a killed run ends, and tell other hosts of this process. They must not outlast the
    database of their test."""
    yield
    killing = [thread for thread in threading.enumerate() if thread.name.startswith("kill of run")]
    present = [thread for thread in threading.enumerate() if thread.name == "presence"]
    if killing:
        from inspector.runs.models import Run

        Run.objects.all().delete()
    if present and os.environ.get("TEST_DATABASE_URL"):
        from inspector.runs.services.presence import presence_end

        presence_end()
        killing += present
    for thread in killing:
        thread.join()


@pytest.fixture(autouse=True)
def damage_forgotten() -> Iterator[None]:
    """Blocks that one test has damaged are none of the next one's business."""
    yield
    if blocks := sys.modules.get("sessions.archive.selectors.blocks"):
        blocks.repairable_blocks.clear()


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a current database, to be copied: to make one takes as long as to start a server."""
    home = tmp_path_factory.mktemp("made") / "home"
    result = lucid(home, "migrate", "--verbosity", "0")
    assert result.returncode == 0, result.stderr
    return home


@pytest.fixture
def ready_home(tmp_path: Path, made_home: Path) -> Path:
    """A copy of that for a test, where most look for a home."""
    return shutil.copytree(made_home, tmp_path / "home")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="lucid-redis-") as folder, redis_server(Path(folder)) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The server that all tests run on, if there is one; else one for those that ask for it."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="lucid-postgres-") as folder, postgres_server(Path(folder)) as url:
        yield url
