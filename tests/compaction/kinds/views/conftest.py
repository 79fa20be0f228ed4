from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.importing import imported


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with imported(django_db_blocker, settings.DEMO_DIR):
        yield
