"""A server over the demo for all tests that only read, and a fresh browser window for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.e2e.browsing import CHROMIUM, Visit, chromium, demo_site, visiting
from tests.e2e.shelves import Shelf, shelf_site
from tests.serving import Server


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with demo_site(tmp_path_factory.mktemp("site")) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not for longer than a module: while it runs, Django believes that this thread has an event loop."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    with shelf_site(tmp_path_factory.mktemp("shelf")) as made:
        yield made


@pytest.fixture
def visit(browser: Browser, site: Server) -> Iterator[Visit]:
    with visiting(browser, site) as made:
        yield made
        assert made.troubles == []
