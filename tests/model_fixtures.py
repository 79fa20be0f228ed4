"""A home for what runs write, and a model that answers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings

from inspector.startup.home import prepare_home
from tests.asking import asking
from tests.inspector.agents.server import MessagesServer


@pytest.fixture(autouse=True)
def home() -> None:
    prepare_home(settings.LUCID_HOME)


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with asking() as result:
        yield result
