from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from sessions.imports.services.report import Report
from tests.corpus.files import FILES, PARTS
from tests.importing import imported
from tests.samples import MISSING


@pytest.fixture(scope="module")
def report(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Report]:
    if not FILES:
        pytest.skip(MISSING)
    with imported(django_db_blocker, *(part.resolve() for part in PARTS)) as made:
        yield made
